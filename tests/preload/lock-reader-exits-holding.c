// SPDX-License-Identifier: MIT
// claim: a read lock outlives the thread that took it, and another thread can give it back
// matrix: locks
//
// Undefined by POSIX; glibc counts, so it works, and programs do it. New threads start before the
// locks are given back, so that what the library kept for the old ones is in use again.
#include "lib/locks.h"

enum { LOCKS = 4, GONE = 30, NEW = 30, ROUNDS = 5 };

static pthread_rwlock_t locks[LOCKS];
static int held[LOCKS];

// Leaves with one lock twice, one once, and one given back.
static void *hold_and_exit(void *arg)
{
    int first = (int)(intptr_t)arg % LOCKS;

    CHECK_IS(pthread_rwlock_rdlock(&locks[first]), 0);
    CHECK_IS(pthread_rwlock_rdlock(&locks[(first + 1) % LOCKS]), 0);
    CHECK_IS(pthread_rwlock_rdlock(&locks[(first + 2) % LOCKS]), 0);
    CHECK_IS(pthread_rwlock_rdlock(&locks[first]), 0);
    release(&locks[(first + 2) % LOCKS]);
    return NULL;
}

static void *use_and_exit(void *arg)
{
    for (int i = 0; i < LOCKS; i++) {
        pthread_rwlock_t *lock = &locks[(i + (int)(intptr_t)arg) % LOCKS];

        read_times(lock, 20);
        CHECK_IS(pthread_rwlock_trywrlock(lock), EBUSY);
        CHECK_IS(pthread_rwlock_rdlock(lock), 0);
        CHECK_IS(pthread_rwlock_trywrlock(lock), EBUSY);
        release(lock);
    }
    return NULL;
}

static void check_held(void)
{
    for (int i = 0; i < LOCKS; i++) {
        int error = pthread_rwlock_trywrlock(&locks[i]);

        CHECK(error == (held[i] ? EBUSY : 0), "lock %d is held %d times, trywrlock gave %d", i,
              held[i], error);
        if (error == 0)
            release(&locks[i]);
    }
}

static void leave_held(void)
{
    for (int i = 0; i < GONE; i++) {
        check_join(check_thread(hold_and_exit, (void *)(intptr_t)i));
        held[i % LOCKS] += 2;
        held[(i + 1) % LOCKS] += 1;
    }
    check_held();
    for (int i = 0; i < NEW; i++)
        check_join(check_thread(use_and_exit, (void *)(intptr_t)i));
    check_held();
}

static void give_back(struct actor *writer)
{
    for (int i = 0; i < LOCKS; i++) {
        actor_ask(writer, pthread_rwlock_wrlock, &locks[i]);
        CHECK_BLOCKS(writer, "wrlock behind readers that exited");
        while (held[i] > 0) {
            check_held();
            CHECK(!__atomic_load_n(&writer->done, __ATOMIC_SEQ_CST), "written with %d readers",
                  held[i]);
            release(&locks[i]);
            held[i]--;
        }
        CHECK_IS(actor_answer(writer), 0);
        CHECK_IS(pthread_rwlock_tryrdlock(&locks[i]), EBUSY);
        CHECK_IS(actor_do(writer, pthread_rwlock_unlock, &locks[i]), 0);
    }
}

int main(void)
{
    static struct actor writer;

    locks_deadline();
    actor_start(&writer);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < LOCKS; i++)
            lock_warm(&locks[i]);
        leave_held();
        give_back(&writer);
        check_held();
    }
    return 0;
}
