// SPDX-License-Identifier: MIT
// claim: one thread can hold 70,000 read locks of one lock, and each has to be given back
// matrix: locks
#include "lib/locks.h"

enum { DEPTH = 70000 };

static struct actor other;

static void nest(pthread_rwlock_t *lock, int other_depth)
{
    for (int i = 0; i < other_depth; i++)
        CHECK_IS(actor_do(&other, pthread_rwlock_rdlock, lock), 0);
    for (int i = 0; i < DEPTH; i++) {
        int error = read_forms[i % FORMS].take(lock);

        CHECK(error == 0, "read lock %d: %s", i, strerror(error));
        if (i % 8192 == 8191)
            CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, lock), EBUSY);
    }
    for (int i = DEPTH; i > 0; i--) {
        if (i % 8192 == 1 || i == 256 || i == 65536)
            CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, lock), EBUSY);
        release(lock);
    }
    for (int i = 0; i < other_depth; i++) {
        CHECK_IS(pthread_rwlock_trywrlock(lock), EBUSY);
        CHECK_IS(actor_do(&other, pthread_rwlock_unlock, lock), 0);
    }
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, lock), 0);
}

int main(void)
{
    static pthread_rwlock_t lock, cold;

    locks_deadline();
    actor_start(&other);
    nest(&cold, 0);
    for (int kind = 0; kind <= PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP; kind++) {
        lock_init(&lock, kind, PTHREAD_PROCESS_PRIVATE);
        lock_warm(&lock);
        nest(&lock, 0);
        lock_warm(&lock);
        nest(&lock, 3);
    }
    return 0;
}
