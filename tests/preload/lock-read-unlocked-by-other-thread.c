// SPDX-License-Identifier: MIT
// claim: a read lock can be given back by another thread than the one that took it
// matrix: locks
//
// Undefined by POSIX; glibc counts, so it works, and programs do it. Threads pass read locks round
// a ring, each giving back what its neighbour took, while a writer checks that it is excluded.
#include "lib/locks.h"

enum { RING = 4 };

static struct guarded it;
static sem_t taken[RING], given[RING];
static struct actor a, b, writer;
static int stop;

static void *take_and_pass(void *arg)
{
    int number = (int)(intptr_t)arg;
    uint32_t random = 88172645u + (uint32_t)number;

    for (long i = 0; i < check_count(4000, 400000); i++) {
        read_by_any(&it.lock, &random);
        guarded_look(&it);
        CHECK_IS(sem_post(&taken[number]), 0);
        // Only now and then nest; the neighbour does not know, so the own one is given back here.
        if (next_random(&random) % 4 == 0) {
            read_by_any(&it.lock, &random);
            guarded_look(&it);
            release(&it.lock);
        }
        CHECK_IS(sem_wait(&taken[(number + 1) % RING]), 0);
        guarded_look(&it);
        release(&it.lock);
        CHECK_IS(sem_post(&given[(number + 1) % RING]), 0);
        CHECK_IS(sem_wait(&given[number]), 0);
    }
    return NULL;
}

static void *write_all_the_time(void *arg)
{
    uint32_t random = 521288629u;

    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        write_by_any(&it.lock, &random);
        guarded_change(&it);
        release(&it.lock);
        ++*(long *)arg;
        read_times(&it.lock, 50);
    }
    return NULL;
}

static void pass_round(void)
{
    pthread_t threads[RING], writing;
    long writes = 0;

    for (int i = 0; i < RING; i++) {
        sem_init(&taken[i], 0, 0);
        sem_init(&given[i], 0, 0);
    }
    writing = check_thread(write_all_the_time, &writes);
    for (int i = 0; i < RING; i++)
        threads[i] = check_thread(take_and_pass, (void *)(intptr_t)i);
    for (int i = 0; i < RING; i++)
        check_join(threads[i]);
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    check_join(writing);
    CHECK_IS(it.first, writes);
    CHECK_IS(it.second, writes);
    CHECK_IS(pthread_rwlock_trywrlock(&it.lock), 0);
    release(&it.lock);
}

// Both hold; `who` gives back both. Then the lock is free and works for both.
static void give_back_twice(struct actor *who, pthread_rwlock_t *lock)
{
    lock_warm(lock);
    CHECK_IS(actor_do(&a, pthread_rwlock_rdlock, lock), 0);
    CHECK_IS(actor_do(&b, pthread_rwlock_rdlock, lock), 0);
    actor_ask(&writer, pthread_rwlock_wrlock, lock);
    CHECK_BLOCKS(&writer, "wrlock behind two readers");
    CHECK_IS(actor_do(who, pthread_rwlock_unlock, lock), 0);
    CHECK_BLOCKS(&writer, "wrlock behind one reader");
    CHECK_IS(actor_do(who, pthread_rwlock_unlock, lock), 0);
    CHECK_IS(actor_answer(&writer), 0);
    CHECK_IS(actor_do(&a, pthread_rwlock_tryrdlock, lock), EBUSY);
    CHECK_IS(actor_do(&b, pthread_rwlock_tryrdlock, lock), EBUSY);
    CHECK_IS(actor_do(&writer, pthread_rwlock_unlock, lock), 0);
    for (int i = 0; i < 2; i++) {
        struct actor *actor = i ? &a : &b;

        CHECK_IS(actor_do(actor, pthread_rwlock_rdlock, lock), 0);
        CHECK_IS(pthread_rwlock_trywrlock(lock), EBUSY);
        CHECK_IS(actor_do(actor, pthread_rwlock_unlock, lock), 0);
        CHECK_IS(pthread_rwlock_trywrlock(lock), 0);
        release(lock);
    }
}

// A reader that wants to write waits for itself, until somebody else gives its read lock back.
static void end_wait_for_itself(pthread_rwlock_t *lock)
{
    lock_warm(lock);
    CHECK_IS(actor_do(&a, pthread_rwlock_rdlock, lock), 0);
    actor_ask(&a, pthread_rwlock_wrlock, lock);
    CHECK_BLOCKS(&a, "wrlock by the reader itself");
    release(lock);
    CHECK_IS(actor_answer(&a), 0);
    CHECK_IS(pthread_rwlock_tryrdlock(lock), EBUSY);
    CHECK_IS(actor_do(&a, pthread_rwlock_unlock, lock), 0);
    CHECK_IS(pthread_rwlock_trywrlock(lock), 0);
    release(lock);
}

int main(void)
{
    static pthread_rwlock_t lock;

    locks_deadline();
    actor_start(&a);
    actor_start(&b);
    actor_start(&writer);
    for (int round = 0; round < 6; round++) {
        give_back_twice(round % 2 ? &a : &b, &lock);
        end_wait_for_itself(&lock);
    }
    lock_warm(&it.lock);
    pass_round();
    return 0;
}
