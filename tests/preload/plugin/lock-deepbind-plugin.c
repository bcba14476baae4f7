// SPDX-License-Identifier: MIT
// A plug-in that uses locks of the program that loads it, by whatever functions its own scope
// finds. It must not depend on anything but libc: with RTLD_DEEPBIND it then finds libc's.
#include <pthread.h>

int plugin_read(pthread_rwlock_t *lock);
int plugin_try_read(pthread_rwlock_t *lock);
int plugin_write(pthread_rwlock_t *lock);
int plugin_try_write(pthread_rwlock_t *lock);
int plugin_unlock(pthread_rwlock_t *lock);

int plugin_read(pthread_rwlock_t *lock)
{
    return pthread_rwlock_rdlock(lock);
}

int plugin_try_read(pthread_rwlock_t *lock)
{
    return pthread_rwlock_tryrdlock(lock);
}

int plugin_write(pthread_rwlock_t *lock)
{
    return pthread_rwlock_wrlock(lock);
}

int plugin_try_write(pthread_rwlock_t *lock)
{
    return pthread_rwlock_trywrlock(lock);
}

int plugin_unlock(pthread_rwlock_t *lock)
{
    return pthread_rwlock_unlock(lock);
}
