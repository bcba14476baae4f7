// SPDX-License-Identifier: MIT
// A counter under a reader-writer lock, called back to back: counters KIND THREADS SECONDS. KIND is
// "locked", whose entry the preloaded library may replace, or "atomic", which is what its source
// should have been. Prints nanoseconds per call of one thread, and whether the count is exact.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64, BATCH = 1000 };

struct table {
    char name[72];
    pthread_rwlock_t lock; // 0x48
    uint64_t hits;         // 0x80
};

// Not static: their names must be found.
void bench_hit_locked(struct table *t);
void bench_hit_atomic(struct table *t);

static struct table table = {.lock = PTHREAD_RWLOCK_INITIALIZER};
static pthread_barrier_t begin;
static atomic_bool stop;
static void (*hit)(struct table *);

__attribute__((noinline)) void bench_hit_locked(struct table *t)
{
    pthread_rwlock_wrlock(&t->lock);
    t->hits++;
    pthread_rwlock_unlock(&t->lock);
}

__attribute__((noinline)) void bench_hit_atomic(struct table *t)
{
    __atomic_fetch_add(&t->hits, 1, __ATOMIC_SEQ_CST);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *count(void *calls)
{
    uint64_t n = 0;
    pthread_barrier_wait(&begin);
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        for (int i = 0; i < BATCH; i++)
            hit(&table);
        n += BATCH;
    }
    *(uint64_t *)calls = n;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t all[MOST];
    uint64_t calls[MOST];
    uint64_t sum = 0;
    if (argc != 4)
        return 2;
    hit = strcmp(argv[1], "atomic") == 0 ? bench_hit_atomic : bench_hit_locked;
    int threads = atoi(argv[2]);
    double seconds = atof(argv[3]);
    if (threads < 1 || threads > MOST)
        return 2;
    pthread_barrier_init(&begin, NULL, (unsigned)threads + 1);
    for (int t = 0; t < threads; t++)
        pthread_create(&all[t], NULL, count, &calls[t]);
    pthread_barrier_wait(&begin);
    double began = now();
    nanosleep(&(struct timespec){.tv_sec = (time_t)seconds,
                                 .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)},
              NULL);
    atomic_store(&stop, true);
    for (int t = 0; t < threads; t++) {
        pthread_join(all[t], NULL);
        sum += calls[t];
    }
    double took = now() - began;
    printf("ns %.2f exact %d\n", took * 1e9 / (double)sum, sum == table.hits);
    return sum == table.hits ? 0 : 1;
}
