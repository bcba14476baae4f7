// SPDX-License-Identifier: MIT
// claim: with all forms mixed and random sleeps, no thread goes two seconds without progress
// matrix: locks
//
// The watchdog counts its own ticks, not the time: a machine that stops for a while stops both.
#include "lib/locks.h"

enum { THREADS = 8, LOCKS = 3, TICK_MS = 50, STALL_TICKS = 2000 / TICK_MS };

static struct guarded locks[LOCKS];
static long progress[THREADS][16];
static int stop;

static void doze(uint32_t *random)
{
    struct timespec time = {0, 0};
    uint32_t value = next_random(random);

    // Mostly nothing, so that threads meet; seldom long enough for all others to fall asleep.
    if (value % 8 == 0)
        time.tv_nsec = (long)(value >> 8) % 20000;
    else if (value % 256 == 1)
        time.tv_nsec = (long)(value >> 8) % 1000000;
    else
        return;
    nanosleep(&time, NULL);
}

static void *use(void *arg)
{
    int number = (int)(intptr_t)arg;
    uint32_t random = 2463534242u + (uint32_t)number;
    uint32_t writes_in = number < 2 ? 4 : number < 5 ? 64 : 1024;

    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        struct guarded *it = &locks[next_random(&random) % LOCKS];

        if (next_random(&random) % writes_in == 0) {
            write_by_any(&it->lock, &random);
            guarded_change(it);
        } else {
            read_by_any(&it->lock, &random);
            guarded_look(it);
        }
        doze(&random);
        release(&it->lock);
        doze(&random);
        __atomic_fetch_add(&progress[number][0], 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void watch(long ticks)
{
    const struct timespec tick = {0, TICK_MS * 1000000L};
    long seen[THREADS] = {0};
    int still[THREADS] = {0};

    for (; ticks > 0; ticks--) {
        nanosleep(&tick, NULL);
        for (int i = 0; i < THREADS; i++) {
            long now = __atomic_load_n(&progress[i][0], __ATOMIC_RELAXED);

            still[i] = now == seen[i] ? still[i] + 1 : 0;
            seen[i] = now;
            CHECK(still[i] < STALL_TICKS, "thread %d stopped after %ld sections", i, now);
        }
    }
}

int main(void)
{
    pthread_t threads[THREADS];

    locks_deadline();
    for (int i = 0; i < LOCKS; i++)
        lock_warm(&locks[i].lock);
    for (int i = 0; i < THREADS; i++)
        threads[i] = check_thread(use, (void *)(intptr_t)i);
    watch(check_count(3000, 600000) / TICK_MS);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        check_join(threads[i]);
    for (int i = 0; i < LOCKS; i++)
        CHECK_IS(pthread_rwlock_trywrlock(&locks[i].lock), 0);
    return 0;
}
