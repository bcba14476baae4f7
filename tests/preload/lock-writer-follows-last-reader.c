// SPDX-License-Identifier: MIT
// claim: a writer that waits for readers gets the lock when the last of them unlocks, always
// matrix: locks
//
// No wake-up may be lost: whether the writer spins, is about to sleep, or sleeps; one writer or
// several; readers that nested. The wait is for ever, so a lost wake-up ends in the deadline.
#include "lib/locks.h"

enum { READERS = 3, WRITERS = 2 };

static struct actor readers[READERS], writers[WRITERS];
static struct guarded it;

static int write_and_unlock(pthread_rwlock_t *lock)
{
    int error = pthread_rwlock_wrlock(lock);

    if (error)
        return error;
    guarded_change(&it);
    return pthread_rwlock_unlock(lock);
}

static int timed_write_and_unlock(pthread_rwlock_t *lock)
{
    int error = monotonic_write_long(lock);

    if (error)
        return error;
    guarded_change(&it);
    return pthread_rwlock_unlock(lock);
}

static void hand_over(int reader_count, int writer_count, uint32_t *random, bool asleep)
{
    long before = it.first;

    for (int i = 0; i < reader_count; i++) {
        CHECK_IS(actor_do(&readers[i], pthread_rwlock_rdlock, &it.lock), 0);
        if (next_random(random) % 4 == 0) {
            CHECK_IS(actor_do(&readers[i], pthread_rwlock_rdlock, &it.lock), 0);
            CHECK_IS(actor_do(&readers[i], pthread_rwlock_unlock, &it.lock), 0);
        }
    }
    for (int i = 0; i < writer_count; i++)
        actor_ask(&writers[i], i ? timed_write_and_unlock : write_and_unlock, &it.lock);
    if (asleep) {
        for (int i = 0; i < writer_count; i++)
            CHECK_BLOCKS(&writers[i], "a writer behind readers");
    } else {
        for (volatile uint32_t pause = next_random(random) % 20000; pause > 0; pause--) {
        }
    }
    CHECK_IS(it.first, before);
    for (int i = 0; i < reader_count; i++)
        actor_ask(&readers[i], pthread_rwlock_unlock, &it.lock);
    for (int i = 0; i < reader_count; i++)
        CHECK_IS(actor_answer(&readers[i]), 0);
    for (int i = 0; i < writer_count; i++)
        CHECK_IS(actor_answer(&writers[i]), 0);
    CHECK_IS(it.first, before + writer_count);
    CHECK_IS(it.second, before + writer_count);
}

int main(void)
{
    uint32_t random = 2463534242u;

    locks_deadline();
    for (int i = 0; i < READERS; i++)
        actor_start(&readers[i]);
    for (int i = 0; i < WRITERS; i++)
        actor_start(&writers[i]);
    lock_warm(&it.lock);
    for (long i = 0; i < check_count(4000, 400000) && !time_is_up(); i++) {
        int reader_count = 1 + (int)(next_random(&random) % READERS);
        int writer_count = 1 + (int)(next_random(&random) % WRITERS);

        read_times(&it.lock, 40);
        hand_over(reader_count, writer_count, &random, i % 64 == 0);
    }
    return 0;
}
