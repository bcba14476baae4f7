// SPDX-License-Identifier: MIT
// The lock functions that dlsym or dlvsym finds in some scope, as a way of locking.
#ifndef FOUND_H
#define FOUND_H

#include "versus.h"

#include <dlfcn.h>

static inline lock_function *find_function(void *handle, const char *name, const char *version)
{
    lock_function *found =
        (lock_function *)(version ? dlvsym(handle, name, version) : dlsym(handle, name));

    CHECK(found, "%s: %s", name, dlerror());
    return found;
}

static inline struct way find_way(void *handle, const char *version)
{
    return (struct way){
        find_function(handle, "pthread_rwlock_rdlock", version),
        find_function(handle, "pthread_rwlock_tryrdlock", version),
        find_function(handle, "pthread_rwlock_wrlock", version),
        find_function(handle, "pthread_rwlock_trywrlock", version),
        find_function(handle, "pthread_rwlock_unlock", version),
    };
}

#endif
