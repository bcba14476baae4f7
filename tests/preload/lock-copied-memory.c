// SPDX-License-Identifier: MIT
// claim: the copy of an unlocked lock is a lock of its own, of the same kind
// matrix: locks
#include "lib/locks.h"

static struct actor other, waiter;

static void check_independent(pthread_rwlock_t *one, pthread_rwlock_t *two)
{
    CHECK_IS(pthread_rwlock_rdlock(one), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, two), 0);
    CHECK_IS(pthread_rwlock_tryrdlock(two), EBUSY);
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, one), EBUSY);
    CHECK_IS(pthread_rwlock_tryrdlock(one), 0);
    release(one);
    release(one);
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, two), 0);
}

// Whether a second reader gets in while a writer waits.
static void check_kind(pthread_rwlock_t *lock, int wanted)
{
    CHECK_IS(pthread_rwlock_rdlock(lock), 0);
    actor_ask(&waiter, pthread_rwlock_wrlock, lock);
    CHECK_BLOCKS(&waiter, "wrlock behind a reader");
    CHECK_IS(actor_do(&other, pthread_rwlock_tryrdlock, lock), wanted);
    if (wanted == 0)
        CHECK_IS(actor_do(&other, pthread_rwlock_unlock, lock), 0);
    release(lock);
    CHECK_IS(actor_answer(&waiter), 0);
    CHECK_IS(actor_do(&waiter, pthread_rwlock_unlock, lock), 0);
}

int main(void)
{
    enum { COPIES = 8 };
    static pthread_rwlock_t locks[COPIES];
    const int second_reader[] = {0, 0, EBUSY};

    locks_deadline();
    actor_start(&other);
    actor_start(&waiter);
    for (int kind = 0; kind < 3; kind++) {
        lock_init(&locks[0], kind, PTHREAD_PROCESS_PRIVATE);
        for (int i = 1; i < COPIES; i++) {
            // The original is in one state after another: read a lot, written last, or both.
            if (i % 2)
                lock_warm(&locks[i - 1]);
            if (i % 4 == 0) {
                CHECK_IS(pthread_rwlock_wrlock(&locks[i - 1]), 0);
                release(&locks[i - 1]);
            }
            memcpy(&locks[i], &locks[i - 1], sizeof(locks[i]));
            check_independent(&locks[i - 1], &locks[i]);
            lock_warm(&locks[i]);
            check_independent(&locks[i - 1], &locks[i]);
            check_independent(&locks[i], &locks[i - 1]);
            check_kind(&locks[i], second_reader[kind]);
        }
        // A move: what was there before is gone.
        memcpy(&locks[0], &locks[COPIES - 1], sizeof(locks[0]));
        memset(&locks[COPIES - 1], 0, sizeof(locks[0]));
        check_independent(&locks[0], &locks[COPIES - 1]);
        check_kind(&locks[0], second_reader[kind]);
        check_kind(&locks[COPIES - 1], 0);
    }
    return 0;
}
