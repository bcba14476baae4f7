// SPDX-License-Identifier: MIT
// claim: callers of the older symbol versions and of the __pthread_rwlock names share the lock
// matrix: locks
#include "lib/versus.h"

#define OLD_NAME(alias, name, version, ...)                                                        \
    extern int alias(pthread_rwlock_t *, ##__VA_ARGS__);                                           \
    __asm__(".symver " #alias ", " #name "@" version)

OLD_NAME(read_225, pthread_rwlock_rdlock, "GLIBC_2.2.5");
OLD_NAME(try_read_225, pthread_rwlock_tryrdlock, "GLIBC_2.2.5");
OLD_NAME(write_225, pthread_rwlock_wrlock, "GLIBC_2.2.5");
OLD_NAME(try_write_225, pthread_rwlock_trywrlock, "GLIBC_2.2.5");
OLD_NAME(unlock_225, pthread_rwlock_unlock, "GLIBC_2.2.5");
OLD_NAME(destroy_225, pthread_rwlock_destroy, "GLIBC_2.2.5");
OLD_NAME(init_225, pthread_rwlock_init, "GLIBC_2.2.5", const pthread_rwlockattr_t *);
OLD_NAME(timed_read_225, pthread_rwlock_timedrdlock, "GLIBC_2.2.5", const struct timespec *);
OLD_NAME(timed_write_225, pthread_rwlock_timedwrlock, "GLIBC_2.2.5", const struct timespec *);
OLD_NAME(clock_read_230, pthread_rwlock_clockrdlock, "GLIBC_2.30", clockid_t,
         const struct timespec *);
OLD_NAME(clock_write_230, pthread_rwlock_clockwrlock, "GLIBC_2.30", clockid_t,
         const struct timespec *);
OLD_NAME(inner_read, __pthread_rwlock_rdlock, "GLIBC_2.2.5");
OLD_NAME(inner_try_read, __pthread_rwlock_tryrdlock, "GLIBC_2.2.5");
OLD_NAME(inner_write, __pthread_rwlock_wrlock, "GLIBC_2.2.5");
OLD_NAME(inner_try_write, __pthread_rwlock_trywrlock, "GLIBC_2.2.5");
OLD_NAME(inner_unlock, __pthread_rwlock_unlock, "GLIBC_2.2.5");
OLD_NAME(inner_destroy, __pthread_rwlock_destroy, "GLIBC_2.2.5");
OLD_NAME(inner_init, __pthread_rwlock_init, "GLIBC_2.2.5", const pthread_rwlockattr_t *);

static int timed_read_old(pthread_rwlock_t *lock)
{
    struct timespec at = time_after(CLOCK_REALTIME, LONG_WAIT);

    return timed_read_225(lock, &at);
}

static int timed_write_old(pthread_rwlock_t *lock)
{
    struct timespec at = time_after(CLOCK_REALTIME, LONG_WAIT);

    return timed_write_225(lock, &at);
}

static int clock_read_old(pthread_rwlock_t *lock)
{
    struct timespec at = time_after(CLOCK_MONOTONIC, LONG_WAIT);

    return clock_read_230(lock, CLOCK_MONOTONIC, &at);
}

static int clock_write_old(pthread_rwlock_t *lock)
{
    struct timespec at = time_after(CLOCK_MONOTONIC, LONG_WAIT);

    return clock_write_230(lock, CLOCK_MONOTONIC, &at);
}

static const struct way old_names[] = {
    {read_225, try_read_225, write_225, try_write_225, unlock_225},
    {timed_read_old, try_read_225, timed_write_old, try_write_225, unlock_225},
    {clock_read_old, try_read_225, clock_write_old, try_write_225, inner_unlock},
    {inner_read, inner_try_read, inner_write, inner_try_write, inner_unlock},
};

static void init_and_destroy(int (*init)(pthread_rwlock_t *, const pthread_rwlockattr_t *),
                             lock_function *destroy)
{
    static pthread_rwlock_t lock;

    lock_warm(&lock);
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    CHECK_IS(init(&lock, NULL), 0);
    CHECK_IS(pthread_rwlock_trywrlock(&lock), 0);
    release(&lock);
    CHECK_IS(destroy(&lock), 0);
}

int main(void)
{
    locks_deadline();
    init_and_destroy(init_225, destroy_225);
    init_and_destroy(inner_init, inner_destroy);
    for (int i = 0; i < LOCKS_COUNT(old_names); i++)
        versus(&plain_names, &old_names[i]);
    return 0;
}
