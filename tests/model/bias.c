// SPDX-License-Identifier: MIT
// A model of the bias protocol (preload/bias*.c, rwlock.h), small enough to try every interleaving:
// readers with a store buffer each, writers that wait, try and give up, a thread that evicts, one
// that forbids bias and then writes past it, and a fork in any state. Each step below is one access
// to shared memory of the real code. Shows, for every order of steps: a writer in its section is
// alone; nobody waits for ever; at the end no hold, count or lock is left over.
//
//   bias [-v] [SCENE]       -v: the number of states of each scene
// With FAULT=<n> in the environment step n of the care is left out (see `left_out`), to show that
// the model notices.
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READERS = 2, OTHERS = 2, THREADS = READERS + OTHERS, BUFFER = 4 };

enum role { ABSENT, READ, READ_TWICE, WRITE, TRY, GIVE_UP, EVICT, FORBID };

// What a thread does next. Readers:
enum {
    DONE,
    R_LOOK,      // at the word: biased?
    R_STORE,     // the entry
    R_AGAIN,     // at the word
    R_UNDO,      // the entry
    R_UNDO_WAKE, // a writer that waits
    R_CONFIRM,   // depth
    R_FAST,      // in the section
    R_DEEPER,    // takes it once more
    R_NESTED,    // in the section, twice
    R_SHALLOWER, // gives that back
    R_FAST_UNLOCK,
    R_FAST_DEPTH,
    R_FAST_LOCK,
    R_FAST_LOOK,
    R_SLOW_DEPTH,
    R_SLOW_LOCK,
    R_SETTLE,
    R_WAKE,
    R_LIBC, // libc's read lock
    R_GIVE, // bias, perhaps
    R_SLOW, // in the section
    R_SLOW_UNLOCK,
    // writers:
    W_LOOK,
    W_PEEK, // a try: somebody sure to hold it?
    W_CLOSE,
    W_BARRIER,
    W_SCAN,
    W_SLEEPERS,
    W_SEEN,
    W_SCAN_AGAIN,
    W_SLEEP,
    W_ASLEEP,
    W_AWAKE,
    W_DRAINED,
    W_GIVE_BACK,
    W_LIBC,
    W_LOWER,
    W_CHECK,
    W_RELEASE, // had it too early
    W_IN,      // in the section
    W_OUT,
    // evict and forbid, what differs:
    E_LOWER,
    F_STOP,
    F_HAND,
    F_COUNT,
    F_SETTLE,
};

enum { LOCK, DEPTH };

struct thread {
    uint8_t role, at, at_entry, seen, joined, expired, passes, nested;
    uint8_t stores, store[BUFFER]; // oldest first: LOCK or DEPTH in bit 7, value below
};

struct state {
    uint8_t biased, closed, drained, count;            // the word
    uint8_t left, sleepers, forbidden, forked, fences; // fences: no membarrier here
    uint8_t libc_readers, libc_writer;                 // writer: thread + 1
    uint8_t lock[READERS], depth[READERS], handed[READERS];
    struct thread thread[THREADS];
};

static int fault;

// 1 the reader's second look, 2 the barrier, 3 the look after libc's lock, 4 waking, 5 the bias
// that a giving-up writer leaves, 6 settling, 7 counting the sleeper before the look, 8 the fork's
// care
static bool left_out(int n)
{
    return fault == n;
}

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
    const unsigned char *p = (const unsigned char *)s;
    uint64_t h = 14695981039346656037U;
    for (size_t i = 0; i < sizeof *s; i++)
        h = (h ^ p[i]) * 1099511628211U;
    return h ^ h >> 29;
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

// --- the parts that several steps share ---

static bool is_open(const struct state *s)
{
    return (s->biased || s->closed) && !s->drained;
}

static bool plainly_biased(const struct state *s)
{
    return s->biased && !s->closed;
}

static void store(struct state *s, int t, int what, int value)
{
    struct thread *th = &s->thread[t];
    th->store[th->stores++] = (uint8_t)(what << 7 | value);
}

static void land(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    uint8_t v = th->store[0];
    memmove(th->store, th->store + 1, BUFFER - 1);
    th->store[BUFFER - 1] = 0;
    th->stores--;
    *(v >> 7 == LOCK ? &s->lock[t] : &s->depth[t]) = v & 127;
}

static void land_all(struct state *s)
{
    for (int t = 0; t < READERS; t++) {
        while (s->thread[t].stores)
            land(s, t);
    }
}

static void wake(struct state *s)
{
    if (!s->closed || left_out(4))
        return;
    s->left++;
    for (int t = 0; t < THREADS; t++) {
        if (s->thread[t].at == W_ASLEEP)
            s->thread[t].at = W_SEEN;
    }
}

static void lower(struct state *s)
{
    if (s->count > 1) {
        s->count--;
        return;
    }
    s->biased = s->drained || left_out(5) ? 0 : 1;
    s->closed = s->drained = s->count = 0;
}

static int may_hold(const struct state *s, int e)
{
    return !s->lock[e] ? 0 : s->depth[e] ? s->depth[e] : 1;
}

// One unit that libc counts and nobody holds any more. True: there was one.
static bool settle(struct state *s, int e)
{
    if (left_out(6) || s->handed[e] <= may_hold(s, e))
        return false;
    s->handed[e]--;
    s->libc_readers--;
    return true;
}

// --- steps; each returns false when the thread cannot move now ---

static bool step_reader(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    bool fenced = th->stores == 0; // what a locked instruction waits for
    switch (th->at) {
    case R_LOOK:
        th->at = plainly_biased(s) ? R_STORE : R_LIBC;
        return true;
    case R_STORE:
        store(s, t, LOCK, 1);
        th->at = left_out(1) ? R_CONFIRM : R_AGAIN;
        return true;
    case R_AGAIN:
        if (s->fences && !fenced)
            return false;
        th->at = plainly_biased(s) ? R_CONFIRM : R_UNDO;
        return true;
    case R_UNDO:
        store(s, t, LOCK, 0);
        th->at = R_UNDO_WAKE;
        return true;
    case R_UNDO_WAKE: // and settle, as the last step of an unlock does
        if (fenced && !settle(s, t)) {
            wake(s);
            th->at = R_LIBC;
        }
        return fenced;
    case R_CONFIRM:
        store(s, t, DEPTH, 1);
        th->at = R_FAST;
        return true;
    case R_FAST:
        th->at = th->role == READ_TWICE && !th->nested ? R_DEEPER : R_FAST_UNLOCK;
        return true;
    case R_DEEPER: // raise_depth: its own check of `handed` stands for both of the code's
        if (!fenced)
            return false;
        th->nested = 1;
        if (s->handed[t] || s->depth[t] == 0) {
            th->at = R_FAST_UNLOCK;
            return true;
        }
        s->depth[t]++;
        th->at = R_NESTED;
        return true;
    case R_NESTED:
        th->at = R_SHALLOWER;
        return true;
    case R_SHALLOWER:
        if (!fenced)
            return false;
        s->depth[t]--;
        (void)settle(s, t);
        th->at = R_FAST_UNLOCK;
        return true;
    case R_FAST_UNLOCK:
        th->at = plainly_biased(s) && !s->fences ? R_FAST_DEPTH : R_SLOW_DEPTH;
        return true;
    case R_FAST_DEPTH:
    case R_SLOW_DEPTH:
        store(s, t, DEPTH, 0);
        th->at++;
        return true;
    case R_FAST_LOCK:
        store(s, t, LOCK, 0);
        th->at = R_FAST_LOOK;
        return true;
    case R_FAST_LOOK:
        th->at = plainly_biased(s) ? DONE : R_SETTLE;
        return true;
    case R_SLOW_LOCK:
        if (fenced) {
            s->lock[t] = 0;
            th->at = R_SETTLE;
        }
        return fenced;
    case R_SETTLE:
        if (fenced && !settle(s, t))
            th->at = R_WAKE;
        return fenced;
    case R_WAKE:
        wake(s);
        th->at = DONE;
        return true;
    case R_LIBC:
        if (!fenced || s->libc_writer)
            return false;
        s->libc_readers++;
        th->at = R_GIVE;
        return true;
    case R_SLOW:
        th->at = R_SLOW_UNLOCK;
        return true;
    case R_SLOW_UNLOCK:
        s->libc_readers--;
        th->at = DONE;
        return true;
    }
    return false;
}

// Looks at the next entry. 1: somebody; 0: go on; -1: nobody in any.
static int scan(const struct state *s, struct thread *th)
{
    int e = th->at_entry;
    if (s->handed[e] < may_hold(s, e)) {
        th->at_entry = 0;
        return 1;
    }
    th->at_entry = (uint8_t)(e + 1 < READERS ? e + 1 : 0);
    return e + 1 < READERS ? 0 : -1;
}

static bool step_closing(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    int found;
    switch (th->at) {
    case W_LOOK:
        th->at = !is_open(s) ? W_LIBC : th->role == TRY ? W_PEEK : W_CLOSE;
        return true;
    case W_PEEK:
        found = s->lock[th->at_entry] && s->depth[th->at_entry] > s->handed[th->at_entry];
        th->at_entry = (uint8_t)(th->at_entry + 1);
        if (found && is_open(s)) {
            th->at = DONE;
        } else if (th->at_entry == READERS) {
            th->at_entry = 0;
            th->at = W_CLOSE;
        }
        return true;
    case W_CLOSE:
        if (!is_open(s)) {
            th->at = th->role == EVICT ? DONE : W_LIBC;
            return true;
        }
        s->count++;
        s->closed = 1;
        s->biased = 0;
        th->joined = 1;
        th->at = W_BARRIER;
        return true;
    case W_BARRIER:
        if (!left_out(2) && !s->fences)
            land_all(s);
        th->at = th->role == FORBID ? F_HAND : W_SCAN;
        return true;
    case W_SCAN:
        found = scan(s, th);
        if (found < 0)
            th->at = W_DRAINED;
        else if (found > 0)
            th->at = th->role == TRY     ? W_GIVE_BACK
                     : th->role == EVICT ? E_LOWER
                     : left_out(7)       ? W_SEEN
                                         : W_SLEEPERS;
        return true;
    case W_SLEEPERS:
        s->sleepers++;
        th->at = W_SEEN;
        return true;
    case W_SEEN:
        th->seen = s->left;
        th->at = left_out(7) ? W_SLEEP : W_SCAN_AGAIN;
        return true;
    case W_SCAN_AGAIN:
        found = !is_open(s) ? -1 : scan(s, th);
        if (found < 0 && !is_open(s))
            th->at_entry = 0;
        if (found < 0)
            th->at = W_AWAKE;
        else if (found > 0)
            th->at = th->expired ? W_AWAKE : W_SLEEP;
        if (th->at == W_AWAKE)
            th->seen = found > 0; // still held: the deadline it is
        return true;
    case W_SLEEP:
        if (s->left != th->seen)
            th->at = W_SEEN;
        else if (th->role == GIVE_UP) {
            th->expired = 1; // one that does not expire is what WRITE is
            th->at = W_SEEN;
        } else
            th->at = W_ASLEEP;
        th->seen = 0;
        return true;
    case W_AWAKE:
        s->sleepers--;
        th->at = th->seen ? W_GIVE_BACK : W_DRAINED;
        th->seen = 0;
        return true;
    case W_DRAINED:
        s->drained = 1;
        th->at = th->role == EVICT ? E_LOWER : W_LIBC;
        return true;
    case W_GIVE_BACK:
    case E_LOWER:
        lower(s);
        th->joined = 0;
        th->at = DONE;
        return true;
    }
    return false;
}

static bool step_writer(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    switch (th->at) {
    case W_LIBC:
        if (s->libc_writer || s->libc_readers) {
            if (th->role == WRITE || th->role == FORBID)
                return false;
            th->at = th->joined ? W_GIVE_BACK : DONE;
            return true;
        }
        s->libc_writer = (uint8_t)(t + 1);
        th->at = th->role == FORBID ? W_IN : th->joined ? W_LOWER : W_CHECK;
        return true;
    case W_LOWER:
        lower(s);
        th->joined = 0;
        th->at = W_CHECK;
        return true;
    case W_CHECK:
        th->at = is_open(s) && !left_out(3) ? W_RELEASE : W_IN;
        return true;
    case W_RELEASE:
        s->libc_writer = 0;
        th->at = ++th->passes < 3 ? W_LOOK : DONE; // bias given that often in between: enough seen
        return true;
    case W_IN:
        th->at = W_OUT;
        return true;
    case W_OUT:
        s->libc_writer = 0;
        th->at = DONE;
        return true;
    }
    return step_closing(s, t);
}

// Forbids bias, hands every hold over to libc, then writes with libc's functions alone.
static bool step_forbidding(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    int e = th->at_entry;
    switch (th->at) {
    case F_STOP:
        s->forbidden = 1;
        th->at = W_CLOSE;
        return true;
    case F_HAND:
        if (s->handed[e] < may_hold(s, e)) {
            if (s->libc_writer)
                return false;
            s->libc_readers++;
            th->at = F_COUNT;
            return true;
        }
        th->at_entry = (uint8_t)(e + 1 < READERS ? e + 1 : 0);
        if (e + 1 == READERS)
            th->at = W_DRAINED;
        return true;
    case F_COUNT:
        s->handed[e]++;
        th->at = F_SETTLE;
        return true;
    case F_SETTLE:
        if (!settle(s, e))
            th->at = F_HAND;
        return true;
    }
    return step_writer(s, t);
}

static bool step(struct state *s, int t)
{
    switch (s->thread[t].role) {
    case READ:
    case READ_TWICE:
        return step_reader(s, t);
    case FORBID:
        return step_forbidding(s, t);
    default:
        return step_writer(s, t);
    }
}

static void check(const struct state *s)
{
    for (int t = 0; t < THREADS; t++) {
        int at = s->thread[t].at;
        bool reads = t < READERS && (at == R_FAST || at == R_DEEPER || at == R_NESTED ||
                                     at == R_SHALLOWER || at == R_SLOW);
        for (int u = 0; reads && u < THREADS; u++) {
            if (s->thread[u].at == W_IN)
                fail(s, "a writer is in its section beside a reader");
        }
    }
    if (s->libc_readers > 100)
        fail(s, "libc's count fell below nothing");
}

static void check_end(const struct state *s, bool forked)
{
    for (int t = 0; t < THREADS; t++) {
        if (s->thread[t].at != DONE) {
            if (!forked)
                fail(s, "a thread waits for ever");
            return;
        }
    }
    bool held = false;
    for (int e = 0; e < READERS; e++)
        held |= s->lock[e] || s->depth[e] || s->handed[e];
    if (held || s->sleepers || s->libc_writer || (!forked && s->libc_readers))
        fail(s, "something is left over");
    if (s->count && !s->forbidden)
        fail(s, "a lock stays closed");
}

// The child has this reader and its holds; then it starts a writer.
static void fork_in(struct state *s, int t)
{
    struct thread self = s->thread[t];
    s->forked = 1;
    while (s->thread[t].stores)
        land(s, t);
    self = s->thread[t];
    memset(s->thread, 0, sizeof s->thread);
    s->thread[t] = self;
    for (int e = 0; e < READERS; e++) {
        if (e != t)
            s->lock[e] = s->depth[e] = s->handed[e] = 0;
    }
    s->sleepers = 0;
    if (s->libc_writer)
        s->libc_writer = THREADS + 1; // nobody's: the child may wait for it for ever, as without us
    if (s->closed && !s->forbidden && !left_out(8)) {
        s->biased = s->lock[t] && !s->drained;
        s->closed = s->drained = s->count = 0;
    } else if (s->closed && left_out(8)) {
        s->biased = s->closed = s->drained = s->count = 0;
    }
    s->thread[READERS] = (struct thread){.role = WRITE, .at = W_LOOK};
}

static void explore(bool forks)
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
            if (forks && t < READERS && !states[i].forked && states[i].thread[t].role) {
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
    bool forks;
} scenes[] = {
    {"two readers, two writers", {READ, READ, WRITE, WRITE}, false},
    {"recursion under a writer", {READ_TWICE, READ, WRITE, WRITE}, false},
    {"a writer and one that tries", {READ_TWICE, READ, WRITE, TRY}, false},
    {"a writer and one that gives up", {READ_TWICE, READ, WRITE, GIVE_UP}, false},
    {"one that tries, one that gives up", {READ_TWICE, READ, TRY, GIVE_UP}, false},
    {"eviction beside a writer", {READ, READ, EVICT, WRITE}, false},
    {"eviction beside one that tries", {READ_TWICE, READ, EVICT, TRY}, false},
    {"bias forbidden, then a writer past it", {READ_TWICE, READ, FORBID, ABSENT}, false},
    {"bias forbidden beside a writer", {READ, READ, FORBID, WRITE}, false},
    {"a fork at any time", {READ_TWICE, READ, WRITE, GIVE_UP}, true},
};

static int first_step(enum role role)
{
    switch (role) {
    case ABSENT:
        return DONE;
    case READ:
    case READ_TWICE:
        return R_LOOK;
    case EVICT:
        return W_CLOSE;
    case FORBID:
        return F_STOP;
    default:
        return W_LOOK;
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
    const char *only = argc > 1 + verbose ? argv[1 + verbose] : NULL;
    fault = getenv("FAULT") ? atoi(getenv("FAULT")) : 0;
    states = malloc(sizeof *states * MOST_STATES);
    table = malloc(sizeof *table << TABLE_BITS);
    if (!states || !table)
        return 2;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0] && !failed; i++) {
        if (only && strcmp(only, scenes[i].name) != 0)
            continue;
        for (int fences = 0; fences < 2 && !failed; fences++)
            play(&scenes[i], fences, verbose);
    }
    return failed ? 1 : 0;
}
