// SPDX-License-Identifier: MIT
// claim: a wait ends with ETIMEDOUT at its deadline, not before, on both clocks, without a trace
// matrix: locks
// waits
#include "lib/locks.h"

enum { WAIT = 15000 }; // microseconds

static struct actor holder;

static long long nanoseconds(const struct timespec *time)
{
    return time->tv_sec * 1000000000LL + time->tv_nsec;
}

static int wait_for(pthread_rwlock_t *lock, bool write, int how, const struct timespec *at)
{
    if (how == 0)
        return (write ? pthread_rwlock_timedwrlock : pthread_rwlock_timedrdlock)(lock, at);
    return (write ? pthread_rwlock_clockwrlock : pthread_rwlock_clockrdlock)(
        lock, how == 1 ? CLOCK_REALTIME : CLOCK_MONOTONIC, at);
}

static void wait_in_vain(pthread_rwlock_t *lock, bool write, int how, long microseconds)
{
    clockid_t clock = how == 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    struct timespec at = time_after(clock, microseconds), now;
    int error = wait_for(lock, write, how, &at);

    CHECK_IS(clock_gettime(clock, &now), 0);
    CHECK(error == ETIMEDOUT, "%s, form %d: %s", write ? "write" : "read", how, strerror(error));
    CHECK(nanoseconds(&now) >= nanoseconds(&at), "%s, form %d: %lld ns before the deadline",
          write ? "write" : "read", how, nanoseconds(&at) - nanoseconds(&now));
}

// The writer that gave up stands in nobody's way.
static void check_no_trace(pthread_rwlock_t *lock)
{
    CHECK_IS(pthread_rwlock_tryrdlock(lock), 0);
    CHECK_IS(actor_do(&holder, pthread_rwlock_tryrdlock, lock), 0);
    release(lock);
    CHECK_IS(actor_do(&holder, pthread_rwlock_unlock, lock), 0);
}

static void check_works(pthread_rwlock_t *lock)
{
    CHECK_IS(actor_do(&holder, pthread_rwlock_trywrlock, lock), 0);
    CHECK_IS(pthread_rwlock_tryrdlock(lock), EBUSY);
    CHECK_IS(actor_do(&holder, pthread_rwlock_unlock, lock), 0);
    lock_warm(lock);
    CHECK_IS(pthread_rwlock_trywrlock(lock), 0);
    release(lock);
}

int main(void)
{
    static pthread_rwlock_t lock;

    locks_deadline();
    actor_start(&holder);
    for (int kind = 0; kind <= PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP; kind++) {
        lock_init(&lock, kind, PTHREAD_PROCESS_PRIVATE);
        for (int how = 0; how < 3; how++) {
            lock_warm(&lock);
            CHECK_IS(actor_do(&holder, pthread_rwlock_rdlock, &lock), 0);
            wait_in_vain(&lock, true, how, WAIT);
            wait_in_vain(&lock, true, how, -WAIT);
            wait_in_vain(&lock, true, how, 10);
            CHECK_IS(pthread_rwlock_trywrlock(&lock), EBUSY);
            check_no_trace(&lock);
            CHECK_IS(actor_do(&holder, pthread_rwlock_unlock, &lock), 0);
            check_works(&lock);
            CHECK_IS(actor_do(&holder, pthread_rwlock_wrlock, &lock), 0);
            wait_in_vain(&lock, false, how, WAIT);
            wait_in_vain(&lock, true, how, WAIT);
            wait_in_vain(&lock, false, how, -WAIT);
            CHECK_IS(actor_do(&holder, pthread_rwlock_unlock, &lock), 0);
            check_works(&lock);
        }
    }
    return 0;
}
