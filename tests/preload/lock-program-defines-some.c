// SPDX-License-Identifier: MIT
// claim: exclusion holds in a program that defines pthread_rwlock_rdlock and unlock itself
// matrix: locks
// link: -rdynamic
//
// Its definitions win over the preload's. They pass the call on to what comes next.
#include "lib/versus.h"

#include <dlfcn.h>

static lock_function *next_read, *next_unlock;
static long own_calls;

static lock_function *next(lock_function **cached, const char *name)
{
    lock_function *found = __atomic_load_n(cached, __ATOMIC_ACQUIRE);

    if (!found) {
        found = (lock_function *)dlsym(RTLD_NEXT, name);
        CHECK(found, "%s: %s", name, dlerror());
        __atomic_store_n(cached, found, __ATOMIC_RELEASE);
    }
    return found;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    __atomic_fetch_add(&own_calls, 1, __ATOMIC_RELAXED);
    return next(&next_read, "pthread_rwlock_rdlock")(lock);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    __atomic_fetch_add(&own_calls, 1, __ATOMIC_RELAXED);
    return next(&next_unlock, "pthread_rwlock_unlock")(lock);
}

int main(void)
{
    const struct way timed = {timed_read_long, pthread_rwlock_tryrdlock, timed_write_long,
                              pthread_rwlock_trywrlock, pthread_rwlock_unlock};

    locks_deadline();
    versus(&plain_names, &plain_names);
    versus(&plain_names, &timed);
    CHECK(own_calls > 2L * WARM_READS, "the program's own functions were called %ld times",
          own_calls);
    return 0;
}
