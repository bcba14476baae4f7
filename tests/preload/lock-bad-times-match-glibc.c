// SPDX-License-Identifier: MIT
// claim: bad nanoseconds, past deadlines and clocks give what glibc gives, whoever holds the lock
// compare
// matrix: locks
#include "lib/locks.h"

#include <limits.h>

enum { BILLION = 1000000000, ERRNO_BEFORE = 4711 };

// Absolute times. None of the valid ones lies ahead: a call that waits ends at once.
static const struct timespec times[] = {
    {0, 0},        {1, 0},         {1, BILLION - 1},    {-1, 0},       {LONG_MIN, 0},
    {0, -1},       {0, BILLION},   {0, LONG_MAX},       {0, LONG_MIN}, {-1, -1},
    {-1, BILLION}, {LONG_MAX, -1}, {LONG_MAX, BILLION},
};

static const struct {
    const char *name;
    clockid_t clock;
} clocks[] = {
    {"realtime", CLOCK_REALTIME},
    {"monotonic", CLOCK_MONOTONIC},
    {"process cpu", CLOCK_PROCESS_CPUTIME_ID},
    {"thread cpu", CLOCK_THREAD_CPUTIME_ID},
    {"monotonic raw", CLOCK_MONOTONIC_RAW},
    {"realtime coarse", CLOCK_REALTIME_COARSE},
    {"monotonic coarse", CLOCK_MONOTONIC_COARSE},
    {"boottime", CLOCK_BOOTTIME},
    {"tai", CLOCK_TAI},
    {"-1", -1},
    {"12345", 12345},
    {"INT_MIN", INT_MIN},
};

static const struct {
    const char *name;
    lock_function *by_self, *by_other;
} states[] = {
    {"free", NULL, NULL},
    {"read by self", pthread_rwlock_rdlock, NULL},
    {"written by self", pthread_rwlock_wrlock, NULL},
    {"read by other", NULL, pthread_rwlock_rdlock},
    {"written by other", NULL, pthread_rwlock_wrlock},
};

static void print_result(pthread_rwlock_t *lock, int error)
{
    printf(" %d%s", error, errno == ERRNO_BEFORE ? "" : ", errno changed");
    if (error == 0)
        release(lock);
    errno = ERRNO_BEFORE;
}

static void print_times(pthread_rwlock_t *lock, const char *state)
{
    for (int t = 0; t < LOCKS_COUNT(times); t++) {
        const struct timespec *at = &times[t];

        printf("%s, %ld s %ld ns: timedrdlock", state, (long)at->tv_sec, at->tv_nsec);
        errno = ERRNO_BEFORE;
        print_result(lock, pthread_rwlock_timedrdlock(lock, at));
        printf(" timedwrlock");
        print_result(lock, pthread_rwlock_timedwrlock(lock, at));
        for (int c = 0; c < LOCKS_COUNT(clocks); c++) {
            printf("; %s read", clocks[c].name);
            print_result(lock, pthread_rwlock_clockrdlock(lock, clocks[c].clock, at));
            printf(" write");
            print_result(lock, pthread_rwlock_clockwrlock(lock, clocks[c].clock, at));
        }
        printf("\n");
    }
}

// Deadlines that lie ahead, on a lock that is free.
static void print_free(pthread_rwlock_t *lock)
{
    const struct timespec never = {LONG_MAX, BILLION - 1};

    errno = ERRNO_BEFORE;
    print_result(lock, pthread_rwlock_timedrdlock(lock, &never));
    print_result(lock, pthread_rwlock_timedwrlock(lock, &never));
    for (int c = 0; c < LOCKS_COUNT(clocks); c++) {
        print_result(lock, pthread_rwlock_clockrdlock(lock, clocks[c].clock, &never));
        print_result(lock, pthread_rwlock_clockwrlock(lock, clocks[c].clock, &never));
    }
    printf("\n");
}

int main(void)
{
    static pthread_rwlock_t lock;
    static struct actor other;

    locks_deadline();
    actor_start(&other);
    for (int kind = 0; kind <= PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP; kind++) {
        lock_init(&lock, kind, PTHREAD_PROCESS_PRIVATE);
        for (int s = 0; s < LOCKS_COUNT(states); s++) {
            printf("kind %d\n", kind);
            lock_warm(&lock);
            if (states[s].by_self)
                CHECK_IS(states[s].by_self(&lock), 0);
            if (states[s].by_other)
                CHECK_IS(actor_do(&other, states[s].by_other, &lock), 0);
            print_times(&lock, states[s].name);
            if (states[s].by_self)
                release(&lock);
            if (states[s].by_other)
                CHECK_IS(actor_do(&other, pthread_rwlock_unlock, &lock), 0);
            print_free(&lock);
        }
    }
    return 0;
}
