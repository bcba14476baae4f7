// SPDX-License-Identifier: MIT
// Included before every test program that is built with musl-gcc (tests/builds/run, the part musl):
// the names of glibc's that tests/preload uses and that can be had by other means. What cannot is
// named with its tests in the file `without`.
#ifndef UC_TEST_MUSL_COMPAT_H
#define UC_TEST_MUSL_COMPAT_H

#include <pthread.h>
#include <time.h>

// musl knows one kind of lock, which prefers readers: what asks for another gets that.
enum {
    PTHREAD_RWLOCK_PREFER_READER_NP,
    PTHREAD_RWLOCK_PREFER_WRITER_NP,
    PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP,
    PTHREAD_RWLOCK_DEFAULT_NP = PTHREAD_RWLOCK_PREFER_READER_NP,
};

static inline int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attr, int kind)
{
    (void)attr;
    (void)kind;
    return 0;
}

// The same moment by the clock that the timed forms know.
static inline struct timespec compat_realtime(clockid_t clock, const struct timespec *at)
{
    struct timespec there;
    struct timespec here;
    clock_gettime(clock, &there);
    clock_gettime(CLOCK_REALTIME, &here);
    long long ns = (at->tv_sec - there.tv_sec + here.tv_sec) * 1000000000LL + at->tv_nsec -
                   there.tv_nsec + here.tv_nsec;
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

static inline int pthread_rwlock_clockrdlock(pthread_rwlock_t *rw, clockid_t clock,
                                             const struct timespec *until)
{
    struct timespec at = compat_realtime(clock, until);
    return pthread_rwlock_timedrdlock(rw, &at);
}

static inline int pthread_rwlock_clockwrlock(pthread_rwlock_t *rw, clockid_t clock,
                                             const struct timespec *until)
{
    struct timespec at = compat_realtime(clock, until);
    return pthread_rwlock_timedwrlock(rw, &at);
}

#endif
