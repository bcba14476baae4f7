// SPDX-License-Identifier: MIT
// claim: thousands of locks, some held together, exclude each for itself
// matrix: locks
//
// More locks than a table of a few thousand words can tell apart. Each thread holds up to a dozen
// at a time, in the order of their addresses, and every lock counts its own writers.
#include "lib/locks.h"

enum { LOCKS = 20000, THREADS = 5, TOGETHER = 12, HOT = 40 };

static struct guarded locks[LOCKS];
static long written[THREADS][LOCKS];

// Mostly a few locks, which many threads therefore meet; now and then any.
static int pick(uint32_t *random)
{
    uint32_t value = next_random(random);

    return (int)(value % 8 ? (value >> 8) % HOT * (LOCKS / HOT) : (value >> 8) % LOCKS);
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void section(int number, uint32_t *random)
{
    int chosen[TOGETHER], count = 1 + (int)(next_random(random) % TOGETHER), unique = 0;
    bool writes[TOGETHER];

    for (int i = 0; i < count; i++)
        chosen[i] = pick(random);
    qsort(chosen, (size_t)count, sizeof(chosen[0]), ascending);
    for (int i = 0; i < count; i++) {
        struct guarded *it = &locks[chosen[i]];

        if (unique && chosen[unique - 1] == chosen[i])
            continue;
        writes[unique] = next_random(random) % 64 == 0;
        if (writes[unique]) {
            write_by_any(&it->lock, random);
            guarded_change(it);
            written[number][chosen[i]]++;
        } else {
            read_by_any(&it->lock, random);
        }
        chosen[unique++] = chosen[i];
    }
    for (int i = 0; i < unique; i++) {
        guarded_look(&locks[chosen[i]]);
        release(&locks[chosen[i]].lock);
    }
}

static void *use(void *arg)
{
    int number = (int)(intptr_t)arg;
    uint32_t random = 88172645u + (uint32_t)number;
    long rounds = check_count(25000, 3000000);

    for (int i = 0; i < HOT; i++)
        read_times(&locks[i * (LOCKS / HOT)].lock, WARM_READS / 10);
    for (long i = 0; i < rounds && !time_is_up(); i++)
        section(number, &random);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    locks_deadline();
    for (int i = 0; i < THREADS; i++)
        threads[i] = check_thread(use, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        check_join(threads[i]);
    for (int i = 0; i < LOCKS; i++) {
        long sum = 0;

        for (int t = 0; t < THREADS; t++)
            sum += written[t][i];
        CHECK(locks[i].first == sum && locks[i].second == sum, "lock %d: %ld and %ld of %ld writes",
              i, locks[i].first, locks[i].second, sum);
        CHECK_IS(pthread_rwlock_trywrlock(&locks[i].lock), 0);
    }
    return 0;
}
