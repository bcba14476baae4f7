// SPDX-License-Identifier: MIT
// Uses a cache from several threads: cache_main THREADS CALLS. Prints the counters, what went
// wrong, and what the preloaded library replaced.
#include "cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "root.h"

enum { MOST = 64 };

static pthread_barrier_t begin;
static uint64_t calls;
static uint64_t wrong;

static void *use(void *cache)
{
    pthread_barrier_wait(&begin);
    uint64_t w = cache_use(cache, calls, 0);
    __atomic_fetch_add(&wrong, w, __ATOMIC_RELAXED);
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    pthread_t all[MOST];
    struct rusage start;
    getrusage(RUSAGE_SELF, &start); // pages read in before main, among others
    calls = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
    struct cache *c = cache_new();
    uint64_t writes = root_sum(UC_STAT_LOCK_WRITE);
    wrong = cache_use(c, calls, 1);
    pthread_barrier_init(&begin, NULL, (unsigned)(threads < MOST ? threads : MOST));
    for (int t = 0; t < threads && t < MOST; t++)
        pthread_create(&all[t], NULL, use, c);
    for (int t = 0; t < threads && t < MOST; t++)
        pthread_join(all[t], NULL);
    writes = root_sum(UC_STAT_LOCK_WRITE) - writes;
    printf("hits=%lu misses=%lu references=%u taken=%u wrong=%lu writes=%lu calls=%lu replaced=%u "
           "wx=%d pages=%ld\n",
           (unsigned long)c->hits, (unsigned long)c->misses, c->references, UINT32_MAX - c->room,
           (unsigned long)wrong, (unsigned long)writes, (unsigned long)root_calls(""),
           root_replaced(), root_writable_code(), start.ru_minflt + start.ru_majflt);
    return 0;
}
