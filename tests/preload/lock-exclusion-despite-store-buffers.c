// SPDX-License-Identifier: MIT
// claim: a reader whose stores reach memory late is still seen by the writer
// matrix: locks
// alone
//
// A processor may look whether a lock is free for reading before others see its note that it
// reads. Here the reader first stores to lines that the writer keeps taking away, so that its
// later stores queue up behind them; and the lock changes between read-only and written as often
// as it can.
#include "lib/locks.h"

enum { LINES = 40, LINE = 64, SECTION = 300 };

static struct guarded it;
static volatile struct {
    char value;
    char rest[LINE - 1];
} lines[LINES] __attribute__((aligned(LINE)));
static long reads;
static int stop;

static void touch_lines(void)
{
    for (int i = 0; i < LINES; i++)
        lines[i].value = 1;
}

static void *read_all_the_time(void *arg)
{
    (void)arg;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        touch_lines();
        CHECK_IS(pthread_rwlock_rdlock(&it.lock), 0);
        // Longer than the stores wait, by loads alone.
        for (int i = 0; i < SECTION; i++)
            guarded_look(&it);
        release(&it.lock);
        __atomic_store_n(&reads, reads + 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

int main(void)
{
    pthread_t reader;
    uint32_t random = 2463534242u;

    locks_deadline();
    lock_warm(&it.lock);
    reader = check_thread(read_all_the_time, NULL);
    for (long i = 0; i < check_count(3000, 1000000) && !time_is_up(); i++) {
        long until = __atomic_load_n(&reads, __ATOMIC_RELAXED) + 4;

        for (int spins = 0; __atomic_load_n(&reads, __ATOMIC_RELAXED) < until; spins++) {
            touch_lines();
            if (spins % 256 == 255)
                sched_yield();
        }
        think((int)(next_random(&random) % 512));
        CHECK_IS(pthread_rwlock_wrlock(&it.lock), 0);
        guarded_change(&it);
        release(&it.lock);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    check_join(reader);
    return 0;
}
