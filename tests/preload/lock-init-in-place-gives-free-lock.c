// SPDX-License-Identifier: MIT
// claim: pthread_rwlock_init on a lock that is still held makes it free, also for the old holder
// matrix: locks
#include "lib/locks.h"

enum { ROUNDS = 40 };

static struct actor other;

static void check_free(pthread_rwlock_t *lock, const char *state)
{
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, lock), 0);
    CHECK(pthread_rwlock_tryrdlock(lock) == EBUSY, "%s", state);
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, lock), 0);
    CHECK(pthread_rwlock_trywrlock(lock) == 0, "%s", state);
    CHECK_IS(actor_do(&other, pthread_rwlock_tryrdlock, lock), EBUSY);
    release(lock);
    CHECK(pthread_rwlock_rdlock(lock) == 0, "%s", state);
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, lock), EBUSY);
    release(lock);
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, lock), 0);
}

static void renew(pthread_rwlock_t *lock, bool by_bytes)
{
    const pthread_rwlock_t fresh = PTHREAD_RWLOCK_INITIALIZER;

    if (by_bytes)
        memcpy(lock, &fresh, sizeof(fresh));
    else
        CHECK_IS(pthread_rwlock_init(lock, NULL), 0);
}

int main(void)
{
    static pthread_rwlock_t lock;

    locks_deadline();
    actor_start(&other);
    for (int round = 0; round < ROUNDS; round++) {
        lock_warm(&lock);
        for (int depth = 0; depth < 1 + round % 3; depth++)
            CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
        renew(&lock, false);
        check_free(&lock, "was read by the caller");

        lock_warm(&lock);
        CHECK_IS(actor_do(&other, pthread_rwlock_rdlock, &lock), 0);
        renew(&lock, false);
        check_free(&lock, "was read by another thread");

        CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
        renew(&lock, round % 2);
        check_free(&lock, "was written by the caller");

        CHECK_IS(actor_do(&other, pthread_rwlock_wrlock, &lock), 0);
        renew(&lock, round % 2);
        check_free(&lock, "was written by another thread");
    }
    return 0;
}
