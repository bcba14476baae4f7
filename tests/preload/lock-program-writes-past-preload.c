// SPDX-License-Identifier: MIT
// claim: exclusion holds in a program whose own pthread_rwlock_wrlock calls libc's past any preload
// matrix: locks
// link: -rdynamic
//
// Its definitions win, and take the originals from a handle on a library that depends on libc: no
// preload hears of such a writer, so readers must not use anything but libc's lock either.
#include "lib/versus.h"

#include <dlfcn.h>

static lock_function *libc_write, *libc_try_write;

static lock_function *from_libc(void *handle, const char *name)
{
    lock_function *found = (lock_function *)dlsym(handle, name);

    CHECK(found, "%s: %s", name, dlerror());
    return found;
}

__attribute__((constructor(101))) static void find_originals(void)
{
    void *handle = dlopen("libm.so.6", RTLD_NOW);

    CHECK(handle, "libm.so.6: %s", dlerror());
    libc_write = from_libc(handle, "pthread_rwlock_wrlock");
    libc_try_write = from_libc(handle, "pthread_rwlock_trywrlock");
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    return libc_write(lock);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return libc_try_write(lock);
}

int main(void)
{
    const struct way past = {pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, libc_write,
                             libc_try_write, pthread_rwlock_unlock};

    locks_deadline();
    versus(&plain_names, &plain_names);
    versus(&plain_names, &past);
    return 0;
}
