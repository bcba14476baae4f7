// SPDX-License-Identifier: MIT
// Owns the calls of libc's functions in all their forms. Without poison.h: their names are what the
// rest of preload/ must not call.
#include "rwlock_libc.h"

int uc_libc_rdlock_early(pthread_rwlock_t *rw)
{
    return uc_real_get(UC_REAL_pthread_rwlock_rdlock) ? uc_real.pthread_rwlock_rdlock(rw) : 0;
}

int uc_libc_unlock_early(pthread_rwlock_t *rw)
{
    return uc_real_get(UC_REAL_pthread_rwlock_unlock) ? uc_real.pthread_rwlock_unlock(rw) : 0;
}

int uc_libc_read(pthread_rwlock_t *rw, const struct uc_wait *wait)
{
    switch (wait->form) {
    case UC_FORM_TRY:
        return UC_REAL_READY(pthread_rwlock_tryrdlock) ? uc_real.pthread_rwlock_tryrdlock(rw) : 0;
    case UC_FORM_TIMED:
        return UC_REAL_READY(pthread_rwlock_timedrdlock)
                   ? uc_real.pthread_rwlock_timedrdlock(rw, wait->deadline)
                   : 0;
    case UC_FORM_CLOCK:
        return UC_REAL_READY(pthread_rwlock_clockrdlock)
                   ? uc_real.pthread_rwlock_clockrdlock(rw, wait->clock, wait->deadline)
                   : 0;
    case UC_FORM_PLAIN:
        break;
    }
    return uc_libc_rdlock(rw);
}

int uc_libc_write(pthread_rwlock_t *rw, const struct uc_wait *wait)
{
    switch (wait->form) {
    case UC_FORM_TRY:
        return uc_libc_trywrlock(rw);
    case UC_FORM_TIMED:
        return UC_REAL_READY(pthread_rwlock_timedwrlock)
                   ? uc_real.pthread_rwlock_timedwrlock(rw, wait->deadline)
                   : 0;
    case UC_FORM_CLOCK:
        return UC_REAL_READY(pthread_rwlock_clockwrlock)
                   ? uc_real.pthread_rwlock_clockwrlock(rw, wait->clock, wait->deadline)
                   : 0;
    case UC_FORM_PLAIN:
        break;
    }
    return UC_REAL_READY(pthread_rwlock_wrlock) ? uc_real.pthread_rwlock_wrlock(rw) : 0;
}

int uc_libc_init(pthread_rwlock_t *rw, const pthread_rwlockattr_t *attr)
{
    if (!UC_REAL_READY(pthread_rwlock_init)) {
        *rw = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
        return 0;
    }
    return uc_real.pthread_rwlock_init(rw, attr);
}

int uc_libc_destroy(pthread_rwlock_t *rw)
{
    return UC_REAL_READY(pthread_rwlock_destroy) ? uc_real.pthread_rwlock_destroy(rw) : 0;
}

bool uc_libc_undisturbed(void)
{
    static const enum uc_real_name names[] = {
        UC_REAL_pthread_rwlock_init,        UC_REAL_pthread_rwlock_destroy,
        UC_REAL_pthread_rwlock_rdlock,      UC_REAL_pthread_rwlock_tryrdlock,
        UC_REAL_pthread_rwlock_timedrdlock, UC_REAL_pthread_rwlock_clockrdlock,
        UC_REAL_pthread_rwlock_wrlock,      UC_REAL_pthread_rwlock_trywrlock,
        UC_REAL_pthread_rwlock_timedwrlock, UC_REAL_pthread_rwlock_clockwrlock,
        UC_REAL_pthread_rwlock_unlock,
    };
    bool undisturbed = true; // no early end: the originals are found on the way
    for (size_t i = 0; i < uc_countof(names); i++) {
        if (uc_real_get(names[i]))
            undisturbed &= uc_real_undisturbed(names[i]);
    }
    return undisturbed && uc_real.pthread_rwlock_unlock;
}
