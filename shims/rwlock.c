// SPDX-License-Identifier: MIT
// pthread_rwlock_* and the older names of some of them. A reader of a biased lock is through after
// the inline part; everything else is one call.
#include "rwlock.h"
#include "counter.h"
#include "rwlock_wait.h"

static const struct uc_wait plain = {.form = UC_FORM_PLAIN};
static const struct uc_wait try = {.form = UC_FORM_TRY};

#define CALLER __builtin_return_address(0)

// The same function under a second name.
#define ALIAS(name) __attribute__((visibility("default"), nothrow, nonnull(1), alias(#name)))

UC_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *rw)
{
    return uc_rwlock_read(rw, &plain);
}

UC_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *rw)
{
    return uc_rwlock_read(rw, &try);
}

// libc answers EINVAL before it looks at the lock.
static int read_until(pthread_rwlock_t *rw, const struct uc_wait *wait)
{
    return uc_wait_valid(wait) ? uc_rwlock_read(rw, wait) : uc_libc_read(rw, wait);
}

UC_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict rw,
                                         const struct timespec *restrict until)
{
    return read_until(rw, &(struct uc_wait){UC_FORM_TIMED, CLOCK_REALTIME, until, CALLER});
}

#if UC_GLIBC // musl has no such function, and nobody would be behind us
UC_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict rw, clockid_t clock,
                                         const struct timespec *restrict until)
{
    return read_until(rw, &(struct uc_wait){UC_FORM_CLOCK, clock, until, CALLER});
}
#endif

UC_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *rw)
{
    return uc_rwlock_write(rw, &plain);
}

UC_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *rw)
{
    return uc_rwlock_write(rw, &try);
}

UC_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict rw,
                                         const struct timespec *restrict until)
{
    return uc_rwlock_write(rw, &(struct uc_wait){UC_FORM_TIMED, CLOCK_REALTIME, until, CALLER});
}

#if UC_GLIBC
UC_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict rw, clockid_t clock,
                                         const struct timespec *restrict until)
{
    return uc_rwlock_write(rw, &(struct uc_wait){UC_FORM_CLOCK, clock, until, CALLER});
}
#endif

UC_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *rw)
{
    return uc_rwlock_unlock(rw);
}

UC_EXPORT int pthread_rwlock_init(pthread_rwlock_t *restrict rw,
                                  const pthread_rwlockattr_t *restrict attr)
{
    uc_counter_notice(__builtin_return_address(0));
    return uc_rwlock_init(rw, attr);
}

UC_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *rw)
{
    return uc_rwlock_destroy(rw);
}

int __pthread_rwlock_rdlock(pthread_rwlock_t *rw) ALIAS(pthread_rwlock_rdlock);
int __pthread_rwlock_tryrdlock(pthread_rwlock_t *rw) ALIAS(pthread_rwlock_tryrdlock);
int __pthread_rwlock_wrlock(pthread_rwlock_t *rw) ALIAS(pthread_rwlock_wrlock);
int __pthread_rwlock_trywrlock(pthread_rwlock_t *rw) ALIAS(pthread_rwlock_trywrlock);
int __pthread_rwlock_unlock(pthread_rwlock_t *rw) ALIAS(pthread_rwlock_unlock);
int __pthread_rwlock_init(pthread_rwlock_t *rw, const pthread_rwlockattr_t *attr)
    ALIAS(pthread_rwlock_init) __attribute__((leaf));
int __pthread_rwlock_destroy(pthread_rwlock_t *rw) ALIAS(pthread_rwlock_destroy)
    __attribute__((leaf));
