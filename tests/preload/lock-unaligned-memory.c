// SPDX-License-Identifier: MIT
// claim: a lock at an address that is no multiple of eight works as far as glibc's does
// matrix: locks
//
// As in packed structures. The kernel's wait needs a multiple of four; without waiting glibc takes
// any address.
#include "lib/locks.h"

static struct actor other;

static void check_without_waiting(pthread_rwlock_t *lock)
{
    read_times(lock, WARM_READS);
    CHECK_IS(pthread_rwlock_rdlock(lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_tryrdlock, lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, lock), EBUSY);
    release(lock);
    CHECK_IS(pthread_rwlock_wrlock(lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_tryrdlock, lock), EBUSY);
    CHECK_IS(pthread_rwlock_rdlock(lock), EDEADLK);
    release(lock);
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, lock), 0);
}

static void check_waiting(pthread_rwlock_t *lock)
{
    lock_warm(lock);
    CHECK_IS(pthread_rwlock_rdlock(lock), 0);
    actor_ask(&other, pthread_rwlock_wrlock, lock);
    CHECK_BLOCKS(&other, "wrlock behind a reader");
    release(lock);
    CHECK_IS(actor_answer(&other), 0);
    CHECK_IS(timed_read_short(lock), ETIMEDOUT);
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, lock), 0);
}

int main(void)
{
    // One line of the cache: an atomic operation across two may be forbidden.
    static char memory[64] __attribute__((aligned(64)));

    locks_deadline();
    actor_start(&other);
    for (size_t at = 0; at + sizeof(pthread_rwlock_t) <= sizeof(memory); at++) {
        pthread_rwlock_t *lock = (void *)(memory + at);

        memset(memory, 0, sizeof(memory));
        check_without_waiting(lock);
        if (at % 4 == 0)
            check_waiting(lock);
    }
    return 0;
}
