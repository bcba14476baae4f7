// SPDX-License-Identifier: MIT
// claim: exclusion holds when several writers meet on a lock that has just been only read
// matrix: locks
//
// In turns: all threads read until the lock counts as one that is only read; then, all at once,
// some write, some hold a read lock until every writer has asked, some go on reading.
#include "lib/locks.h"

enum { THREADS = 6, WRITERS = 3 };

static struct guarded it;
static pthread_barrier_t barrier;
static int asking, written;

static void write_now(const struct form *form, long round)
{
    __atomic_fetch_add(&asking, 1, __ATOMIC_SEQ_CST);
    take_by(form, &it.lock);
    guarded_change(&it);
    CHECK(it.first > round * WRITERS, "a write was lost");
    __atomic_fetch_add(&written, 1, __ATOMIC_SEQ_CST);
    release(&it.lock);
}

static void hold_until_all_ask(uint32_t *random)
{
    long before;

    read_by_any(&it.lock, random);
    before = it.first;
    while (__atomic_load_n(&asking, __ATOMIC_SEQ_CST) < WRITERS)
        sched_yield();
    for (int i = 0; i < 200; i++)
        guarded_look(&it);
    CHECK_IS(it.first, before);
    release(&it.lock);
}

static void keep_reading(uint32_t *random)
{
    while (__atomic_load_n(&written, __ATOMIC_SEQ_CST) < WRITERS) {
        read_by_any(&it.lock, random);
        guarded_look(&it);
        release(&it.lock);
        sched_yield();
    }
}

static void *use(void *arg)
{
    int number = (int)(intptr_t)arg;
    uint32_t random = 521288629u + (uint32_t)number;
    long rounds = check_count(6000, 300000);

    for (long round = 0; round < rounds; round++) {
        int role = (int)((number + round) % THREADS);

        read_times(&it.lock, 150);
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            asking = written = 0;
        pthread_barrier_wait(&barrier);
        if (role < WRITERS)
            write_now(&write_forms[next_random(&random) % FORMS], round);
        else if (role == WRITERS)
            hold_until_all_ask(&random);
        else
            keep_reading(&random);
        pthread_barrier_wait(&barrier);
        CHECK_IS(it.first, (round + 1) * WRITERS);
        CHECK_IS(it.second, (round + 1) * WRITERS);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    locks_deadline();
    CHECK_IS(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++)
        threads[i] = check_thread(use, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        check_join(threads[i]);
    return 0;
}
