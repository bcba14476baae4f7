// SPDX-License-Identifier: MIT
// claim: each pthread_rwlock function returns, in each state of the lock, what glibc's returns
// compare
// matrix: locks
// waits
//
// Prints one line for each kind of lock, state and function: what the call returned, or that it
// blocked and what it returned once the other holders had gone; then what a third thread gets from
// the try forms, and whether the lock is free when all have unlocked.
#include "lib/locks.h"

enum { ERRNO_BEFORE = 4711, ERRNO_CHANGED = 1 << 16, SOON = 5000, EXPIRED = -1000 };

static int timed_read_expired(pthread_rwlock_t *lock)
{
    return timed_read(lock, EXPIRED);
}
static int timed_read_soon(pthread_rwlock_t *lock)
{
    return timed_read(lock, SOON);
}
static int real_read_expired(pthread_rwlock_t *l)
{
    return clock_read(l, CLOCK_REALTIME, EXPIRED);
}
static int real_read_soon(pthread_rwlock_t *l)
{
    return clock_read(l, CLOCK_REALTIME, SOON);
}
static int mono_read_expired(pthread_rwlock_t *l)
{
    return clock_read(l, CLOCK_MONOTONIC, EXPIRED);
}
static int mono_read_soon(pthread_rwlock_t *l)
{
    return clock_read(l, CLOCK_MONOTONIC, SOON);
}
static int timed_write_expired(pthread_rwlock_t *lock)
{
    return timed_write(lock, EXPIRED);
}
static int timed_write_soon(pthread_rwlock_t *lock)
{
    return timed_write(lock, SOON);
}
static int real_write_expired(pthread_rwlock_t *l)
{
    return clock_write(l, CLOCK_REALTIME, EXPIRED);
}
static int real_write_soon(pthread_rwlock_t *l)
{
    return clock_write(l, CLOCK_REALTIME, SOON);
}
static int mono_write_expired(pthread_rwlock_t *l)
{
    return clock_write(l, CLOCK_MONOTONIC, EXPIRED);
}
static int mono_write_soon(pthread_rwlock_t *l)
{
    return clock_write(l, CLOCK_MONOTONIC, SOON);
}

static const struct function {
    const char *name;
    lock_function *call;
    bool writes, waits;
} functions[] = {
    {"rdlock", pthread_rwlock_rdlock, false, true},
    {"tryrdlock", pthread_rwlock_tryrdlock, false, false},
    {"timedrdlock expired", timed_read_expired, false, false},
    {"timedrdlock soon", timed_read_soon, false, false},
    {"clockrdlock realtime expired", real_read_expired, false, false},
    {"clockrdlock realtime soon", real_read_soon, false, false},
    {"clockrdlock monotonic expired", mono_read_expired, false, false},
    {"clockrdlock monotonic soon", mono_read_soon, false, false},
    {"wrlock", pthread_rwlock_wrlock, true, true},
    {"trywrlock", pthread_rwlock_trywrlock, true, false},
    {"timedwrlock expired", timed_write_expired, true, false},
    {"timedwrlock soon", timed_write_soon, true, false},
    {"clockwrlock realtime expired", real_write_expired, true, false},
    {"clockwrlock realtime soon", real_write_soon, true, false},
    {"clockwrlock monotonic expired", mono_write_expired, true, false},
    {"clockwrlock monotonic soon", mono_write_soon, true, false},
};

static const struct state {
    const char *name;
    int self_reads, other_reads;
    bool self_writes, other_writes, writer_waits;
} states[] = {
    {"free", 0, 0, false, false, false},
    {"read by self", 1, 0, false, false, false},
    {"read by self twice", 2, 0, false, false, false},
    {"read by other", 0, 1, false, false, false},
    {"read by both", 1, 1, false, false, false},
    {"written by self", 0, 0, true, false, false},
    {"written by other", 0, 0, false, true, false},
    {"read by other, writer waits", 0, 1, false, false, true},
    {"read by self, writer waits", 1, 0, false, false, true},
};

static struct actor self, other, waiter;

static int write_and_unlock(pthread_rwlock_t *lock)
{
    int error = pthread_rwlock_wrlock(lock);

    return error ? error : pthread_rwlock_unlock(lock);
}

static int read_often(pthread_rwlock_t *lock)
{
    read_times(lock, 50);
    return 0;
}

static lock_function *examined;

static int examine(pthread_rwlock_t *lock)
{
    errno = ERRNO_BEFORE;
    int error = examined(lock);

    return error | (errno != ERRNO_BEFORE ? ERRNO_CHANGED : 0);
}

static void enter(const struct state *state, pthread_rwlock_t *lock)
{
    for (int i = 0; i < state->other_reads; i++)
        CHECK_IS(actor_do(&other, pthread_rwlock_rdlock, lock), 0);
    for (int i = 0; i < state->self_reads; i++)
        CHECK_IS(actor_do(&self, pthread_rwlock_rdlock, lock), 0);
    if (state->self_writes)
        CHECK_IS(actor_do(&self, pthread_rwlock_wrlock, lock), 0);
    if (state->other_writes)
        CHECK_IS(actor_do(&other, pthread_rwlock_wrlock, lock), 0);
    if (state->writer_waits) {
        actor_ask(&waiter, write_and_unlock, lock);
        CHECK_BLOCKS(&waiter, "a writer behind a reader");
    }
}

static void leave(struct actor *actor, int times, pthread_rwlock_t *lock)
{
    for (int i = 0; i < times; i++)
        printf(" unlock %d", actor_do(actor, pthread_rwlock_unlock, lock));
}

static void probe(const char *name, lock_function *try, pthread_rwlock_t *lock)
{
    int error = try(lock);

    printf(" %s %d", name, error);
    if (error == 0)
        release(lock);
}

static void print_row(const struct state *state, const struct function *function,
                      pthread_rwlock_t *lock)
{
    int others = state->other_reads + state->other_writes;
    int result;

    enter(state, lock);
    examined = function->call;
    actor_ask(&self, examine, lock);
    if (function->waits && actor_blocks(&self)) {
        printf(" blocks, then");
        leave(&other, others, lock);
        others = 0;
    }
    result = actor_answer(&self);
    printf(" -> %d%s;", result & ~ERRNO_CHANGED, result & ERRNO_CHANGED ? ", errno changed" : "");
    if (others || !state->writer_waits) {
        probe("tryrdlock", pthread_rwlock_tryrdlock, lock);
        probe("trywrlock", pthread_rwlock_trywrlock, lock);
    }
    leave(&self, (result == 0) + state->self_reads + state->self_writes, lock);
    leave(&other, others, lock);
    if (state->writer_waits)
        CHECK_IS(actor_answer(&waiter), 0);
    probe("; trywrlock", pthread_rwlock_trywrlock, lock);
    printf("\n");
}

// Nobody could ever end this wait: the reader itself is what it waits for.
static bool waits_for_itself(int kind, const struct state *state, const struct function *function)
{
    bool held_up = function->writes ||
                   (kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP && state->writer_waits);

    return function->waits && state->self_reads && held_up;
}

static void print_table(int kind, int shared)
{
    static pthread_rwlock_t locks[3][2];
    pthread_rwlock_t *lock = &locks[kind][shared];

    lock_init(lock, kind, shared);
    for (int s = 0; s < LOCKS_COUNT(states); s++) {
        lock_warm(lock);
        for (int f = 0; f < LOCKS_COUNT(functions); f++) {
            if (waits_for_itself(kind, &states[s], &functions[f]))
                continue;
            actor_do(&self, read_often, lock);
            actor_do(&other, read_often, lock);
            printf("kind %d%s, %s: %s", kind, shared ? " shared" : "", states[s].name,
                   functions[f].name);
            print_row(&states[s], &functions[f], lock);
        }
    }
    printf("destroy %d\n", pthread_rwlock_destroy(lock));
}

int main(void)
{
    locks_deadline();
    actor_start(&self);
    actor_start(&other);
    actor_start(&waiter);
    for (int kind = PTHREAD_RWLOCK_PREFER_READER_NP;
         kind <= PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP; kind++) {
        print_table(kind, PTHREAD_PROCESS_PRIVATE);
        print_table(kind, PTHREAD_PROCESS_SHARED);
    }
    return 0;
}
