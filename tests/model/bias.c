// SPDX-License-Identifier: MIT
// A model of the bias protocol (preload/bias*.c, rwlock.h), small enough to try every interleaving:
// readers with a store buffer each, writers that wait, try and give up, a thread that evicts, one
// that forbids bias and then writes past it, strangers that release what others hold, threads that
// end with a hold, and a fork in any state. Each step below is one access to shared memory of the
// real code. Shows, for every order of steps: a writer in its section is alone; a hold can be seen;
// nobody waits for ever; libc's count never falls below nothing; at the end no hold, count, lock or
// record is left over.
//
//   bias [-v] [SCENE]       -v: the number of states of each scene
// With FAULT=<n> in the environment step n of the care is left out (see `fault`), to show that the
// model notices.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

static const struct state *failed;

static void fail(const struct state *s, const char *why)
{
    if (failed)
        return;
    failed = s;
    fprintf(stderr,
            "model: %s\n  word: biased %d closed %d drained %d count %d; libc: readers %d "
            "writer %d; left %d sleepers %d\n",
            why, s->biased, s->closed, s->drained, s->count, s->libc_readers, s->libc_writer,
            s->left, s->sleepers);
    for (int i = 0; i < THREADS; i++)
        fprintf(
            stderr,
            "  thread %d: role %d at %d; entry: lock %d depth %d handed %d, %d stores on the way\n",
            i, s->thread[i].role, s->thread[i].at, i < READERS ? s->lock[i] : 0,
            i < READERS ? s->depth[i] : 0, i < READERS ? s->handed[i] : 0, s->thread[i].stores);
}

// --- the set of states seen, which is also the list of those still to be looked at ---

static struct state *states;
static uint32_t *table;
static size_t count;
enum { TABLE_BITS = 24, MOST_STATES = 4000000 };

static uint64_t hash(const struct state *s)
{
    uint64_t part[sizeof *s / 8];
    uint64_t h = 0;
    _Static_assert(sizeof part == sizeof *s, "no byte is left out");
    memcpy(part, s, sizeof part);
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        h = (h ^ part[i]) * 0x9e3779b97f4a7c15U, h ^= h >> 29;
    return h;
}

static void add(const struct state *s)
{
    size_t i = hash(s) >> (64 - TABLE_BITS);
    while (table[i]) {
        if (memcmp(&states[table[i] - 1], s, sizeof *s) == 0)
            return;
        i = (i + 1) & ((1U << TABLE_BITS) - 1);
    }
    if (count == MOST_STATES) {
        fprintf(stderr, "model: more than %d states\n", MOST_STATES);
        exit(2);
    }
    states[count++] = *s;
    table[i] = (uint32_t)count;
}

static bool step(struct state *s, int t)
{
    switch (s->thread[t].role) {
    case READ:
    case READ_TWICE:
    case READ_ON:
    case READ_KEEP:
    case READ_LEND:
    case READ_END:
    case READ_NEXT:
        return step_reader(s, t) || step_writer(s, t);
    case STRANGER:
        return step_release(s, t) || step_writer(s, t);
    case FORBID:
    case CONFINE:
        return step_forbidding(s, t);
    default:
        return step_writer(s, t);
    }
}

// A writer in its section may end the lock. (One order is left out: who was about to take it when
// the hand-over looked has taken libc's instead, and let go, and the hander slept all the while.)
static void check_lock_lives(const struct state *s)
{
    bool written = false;
    for (int t = 0; t < THREADS; t++)
        written |= s->thread[t].at == W_IN;
    for (int t = 0; written && t < THREADS; t++) {
        if (s->thread[t].at == F_READ && s->thread[t].seen)
            fail(s, "a writer may end the lock under a hand-over");
    }
}

static void check(const struct state *s)
{
    check_lock_lives(s);
    for (int t = 0; t < THREADS; t++) {
        int at = s->thread[t].at;
        bool reads = t < READERS && (at == R_FAST || at == R_DEEPER || at == R_NESTED ||
                                     at == R_SHALLOWER || at == R_SLOW);
        for (int u = 0; reads && u < THREADS; u++) {
            if (s->thread[u].at == W_IN)
                fail(s, "a writer is in its section beside a reader");
        }
    }
    for (int t = 0; t < READERS; t++) {
        const struct thread *th = &s->thread[t];
        int e = th->record;
        bool holds_fast = th->at == R_FAST || th->at == R_NESTED || th->at == R_FAST_UNLOCK;
        if (holds_fast && !th->stores && (s->lock[e] != 1 || s->depth[e] == 0))
            fail(s, "a hold cannot be seen");
        if (th->at == O_IN && !th->stores && handed(s, e) >= s->depth[e])
            fail(s, "a hold of another lock counts as libc's");
    }
    for (int t = 0; t < THREADS; t++) {
        if (s->thread[t].at == W_IN && s->kept + s->ending)
            fail(s, "a writer is in its section beside a hold that nobody has released");
    }
    for (int t = 0; s->ended && t < THREADS; t++) {
        if (s->thread[t].at == W_BARRIER)
            fail(s, "a barrier inside a filter");
    }
    if (s->libc_readers > 100)
        fail(s, "libc's count fell below nothing");
}

static void check_end(const struct state *s, bool forked)
{
    for (int t = 0; t < THREADS; t++) {
        if (s->thread[t].at != DONE) {
            if (!forked || s->thread[t].at == W_ASLEEP) // else for libc, as without us
                fail(s, "a thread waits for ever");
            return;
        }
    }
    bool held = false;
    for (int e = 0; e < READERS; e++)
        held |= s->lock[e] ? s->depth[e] == 0 || s->depth[e] != s->handed[e]
                           : s->depth[e] || s->handed[e]; // what libc counts all of is nothing
    for (int e = 0; !forked && e < READERS; e++) {
        if (s->life[e] == GHOST || s->life[e] == BURIED)
            fail(s, "a record is left behind");
    }
    if (held || s->libc_writer || (!forked && (s->libc_readers || s->sleepers)))
        fail(s, "something is left over");
    if (s->count && !s->forbidden)
        fail(s, "a lock stays closed");
}

// The child has this thread and its holds; then it starts a writer, and readers beside one.
static void fork_in(struct state *s, int t)
{
    s->forked = 1;
    while (s->thread[t].stores)
        land(s, t);
    struct thread self = s->thread[t];
    memset(s->thread, 0, sizeof s->thread);
    if (self.at == W_ASLEEP)
        self.at = W_SEEN; // the handler ended the system call
    s->thread[t] = self;
    for (int e = 0; e < READERS; e++) {
        if (e != t) {
            s->lock[e] = s->depth[e] = s->handed[e] = 0;
            s->life[e] = FREE;
        }
    }
    s->kept = s->ending = 0; // as far as libc counts them the child has them for ever
    if (left_out(10))
        s->sleepers = 0;
    if (s->handing != t + 1)
        s->handing = 0;
    s->left += !left_out(12); // whoever it waited for is not there
    if (s->libc_writer)
        s->libc_writer = THREADS + 1; // nobody's: the child may wait for it for ever, as without us
    if (s->closed && !s->forbidden && self.joined && !left_out(11)) {
        s->count = 1;
    } else if (s->closed && !s->forbidden && !left_out(8)) {
        s->biased = t < READERS && s->lock[t] && !s->drained;
        s->closed = s->drained = s->count = 0;
    } else if (s->closed && left_out(8)) {
        s->biased = s->closed = s->drained = s->count = 0;
    }
    if (s->forbidden && !s->ended) {
        s->closed |= s->biased;
        s->count += s->biased;
        s->biased = 0;
        s->ended = 1;
    }
    s->thread[READERS + (t == READERS)] = (struct thread){.role = WRITE, .at = W_LOOK};
    for (int e = 0; t >= READERS && e < s->entries; e++)
        s->thread[e] = (struct thread){.role = READ, .at = R_LOOK, .record = (uint8_t)e};
}

// libc's count of this reader's hold has gone to a stranger, for whom somebody's fast hold is left,
// which it may be about to release. A child does not have that: known (docs/design.md), left out.
static bool has_lent(const struct state *s, int t)
{
    int at = s->thread[t].at;
    bool holds_slow = at == R_GIVE || at == R_SLOW || at == S_LOOK || at == S_PEEK;
    return t < READERS && (at >= S_GHOST || (holds_slow && s->libc_readers == 0));
}

// forks: this many of the threads do.
static void explore(int forks)
{
    for (size_t i = 0; i < count && !failed; i++) {
        bool moved = false;
        check(&states[i]);
        for (int t = 0; t < THREADS && !failed; t++) {
            struct state next = states[i];
            if (next.thread[t].stores) {
                land(&next, t);
                add(&next);
                moved = true;
                next = states[i];
            }
            if (next.thread[t].at == R_GIVE) { // both ways
                next.thread[t].at = R_SLOW;
                add(&next);
                moved = true;
                if (!next.biased && !next.closed && !next.forbidden) {
                    next.biased = 1;
                    add(&next);
                }
            } else if (next.thread[t].at != DONE && step(&next, t)) {
                add(&next);
                moved = true;
            }
            if (t < forks && !states[i].forked && states[i].thread[t].role &&
                !has_lent(&states[i], t)) {
                next = states[i];
                fork_in(&next, t);
                add(&next);
            }
        }
        if (!moved)
            check_end(&states[i], states[i].forked);
    }
}

static const struct scene {
    const char *name;
    enum role role[THREADS];
    int forks;
} scenes[] = {
    {"two readers, two writers", {READ, READ, ABSENT, WRITE, WRITE}, 0},
    {"recursion under a writer", {READ_TWICE, READ, ABSENT, WRITE, WRITE}, 0},
    {"a writer and one that tries", {READ_TWICE, READ, ABSENT, WRITE, TRY}, 0},
    {"a writer and one that gives up", {READ_TWICE, READ, ABSENT, WRITE, GIVE_UP}, 0},
    {"one that tries, one that gives up", {READ_TWICE, READ, ABSENT, TRY, GIVE_UP}, 0},
    {"eviction beside a writer", {READ, READ, ABSENT, EVICT, WRITE}, 0},
    {"eviction beside one that tries", {READ_TWICE, READ, ABSENT, EVICT, TRY}, 0},
    {"bias forbidden, then a writer past it", {READ_TWICE, READ, ABSENT, FORBID, ABSENT}, 0},
    {"bias forbidden beside a writer", {READ, READ, ABSENT, FORBID, WRITE}, 0},
    {"a filter beside two writers", {READ_TWICE, READ, ABSENT, CONFINE, WRITE}, 0},
    {"a filter beside one that tries", {READ, READ, ABSENT, CONFINE, TRY}, 0},
    {"a filter beside one that gives up", {READ, READ, ABSENT, CONFINE, GIVE_UP}, 0},
    {"a filter beside an eviction", {READ, READ, ABSENT, CONFINE, EVICT}, 0},
    {"a filter and a writer past us", {READ, READ, ABSENT, CONFINE, FORBID}, 0},
    {"a fork beside a filter", {READ_TWICE, READ, ABSENT, CONFINE, ABSENT}, READERS},
    {"a writer's handler forks", {READ, READ, ABSENT, WRITE, ABSENT}, THREADS},
    {"a stranger beside an owner", {READ_KEEP, READ, ABSENT, STRANGER, ABSENT}, 0},
    {"a stranger and a writer", {READ_KEEP, READ, ABSENT, STRANGER, WRITE}, 0},
    {"a stranger and one that gives up", {READ_KEEP, ABSENT, ABSENT, STRANGER, GIVE_UP}, 0},
    {"two strangers", {READ_KEEP, READ_KEEP, ABSENT, STRANGER, STRANGER}, 0},
    {"two holds, each released by any", {READ_LEND, READ_KEEP, READ, STRANGER, ABSENT}, 0},
    {"a stranger beside recursion", {READ_KEEP, READ_TWICE, ABSENT, STRANGER, ABSENT}, 0},
    {"a stranger and an eviction", {READ_KEEP, READ, ABSENT, STRANGER, EVICT}, 0},
    {"a stranger, and bias is forbidden", {READ_KEEP, READ, ABSENT, STRANGER, FORBID}, 0},
    {"a stranger, and a filter", {READ_KEEP, READ, ABSENT, STRANGER, CONFINE}, 0},
    {"a stranger, and bias again", {READ_KEEP, READ, READ, STRANGER, ABSENT}, 0},
    {"a stranger, and another lock", {READ_KEEP, READ_ON, ABSENT, STRANGER, ABSENT}, 0},
    {"a stranger, and a fork", {READ, READ_KEEP, ABSENT, STRANGER, ABSENT}, 1},
    {"a thread ends beside an owner", {READ_END, READ, ABSENT, WRITE, ABSENT}, 0},
    {"two threads end", {READ_END, READ_END, ABSENT, WRITE, ABSENT}, 0},
    {"a thread ends beside a stranger", {READ_END, READ_KEEP, ABSENT, STRANGER, ABSENT}, 0},
    {"a record is used again", {READ_END, READ_KEEP, READ_NEXT, STRANGER, ABSENT}, 0},
    {"a thread ends, and bias is forbidden", {READ_END, READ, ABSENT, FORBID, ABSENT}, 0},
    {"a thread ends, and a filter", {READ_END, READ, ABSENT, CONFINE, WRITE}, 0},
    {"a fork at any time", {READ_TWICE, READ, ABSENT, WRITE, GIVE_UP}, READERS},
};

static int first_step(enum role role)
{
    switch (role) {
    case ABSENT:
        return DONE;
    case READ_NEXT:
        return L_NEXT;
    case STRANGER:
        return S_BEGIN;
    case EVICT:
        return W_CLOSE;
    case FORBID:
    case CONFINE:
        return F_STOP;
    default:
        return role < WRITE ? R_LOOK : W_LOOK;
    }
}

static void play(const struct scene *scene, bool fences, bool verbose)
{
    count = 0;
    memset(table, 0, sizeof *table << TABLE_BITS);
    for (uint8_t biased = 0; biased < 2; biased++) {
        struct state s = {.biased = biased, .fences = fences};
        for (int t = 0; t < THREADS; t++) {
            s.thread[t].role = (uint8_t)scene->role[t];
            s.thread[t].at = (uint8_t)first_step(scene->role[t]);
            if (t < READERS && scene->role[t] && scene->role[t] != READ_NEXT) {
                s.thread[t].record = (uint8_t)t;
                s.entries = (uint8_t)(t + 1);
            }
        }
        add(&s);
    }
    explore(scene->forks);
    if (failed)
        fprintf(stderr, "model: in the scene '%s'\n", scene->name);
    else if (verbose)
        printf("%8zu states: %s%s\n", count, scene->name, fences ? ", with fences" : "");
}

int main(int argc, char **argv)
{
    bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    const char *only = argc > 1 + verbose ? argv[1 + verbose] : "";
    const char *wanted = getenv("FAULT");
    fault = wanted ? atoi(wanted) : 0;
    states = malloc(sizeof *states * MOST_STATES);
    table = malloc(sizeof *table << TABLE_BITS);
    if (!states || !table)
        return 2;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0] && !failed; i++) {
        if (*only && strcmp(only, scenes[i].name) != 0)
            continue;
        for (int fences = 0; fences < 2 && !failed; fences++)
            play(&scenes[i], fences, verbose);
    }
    return failed ? 1 : 0;
}
