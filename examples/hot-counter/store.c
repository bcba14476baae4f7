// SPDX-License-Identifier: MIT
// The library. Its data never changes; what all threads meet at is the count of hits.
#include "store.h"

#include <pthread.h>
#include <stdlib.h>

struct statistics {
    pthread_rwlock_t lock; // 56 bytes
    uint64_t hits;         // at 56
    uint64_t misses;       // at 64
};

struct store {
    struct statistics statistics;
    unsigned keys;
    uint64_t values[];
};

// Not exported, but in the symbol table until somebody runs strip.
__attribute__((noinline)) static void count_hit(struct statistics *s)
{
    pthread_rwlock_wrlock(&s->lock);
    s->hits++;
    pthread_rwlock_unlock(&s->lock);
}

__attribute__((noinline)) static void count_miss(struct statistics *s)
{
    pthread_rwlock_wrlock(&s->lock);
    s->misses++;
    pthread_rwlock_unlock(&s->lock);
}

__attribute__((visibility("default"))) struct store *store_new(unsigned keys)
{
    struct store *s = calloc(1, sizeof *s + keys * sizeof s->values[0]);
    if (!s)
        return NULL;
    s->keys = keys;
    for (unsigned i = 0; i < keys; i++)
        s->values[i] = (uint64_t)i * i;
    pthread_rwlock_init(&s->statistics.lock, NULL);
    return s;
}

__attribute__((visibility("default"))) int store_get(struct store *s, unsigned key, uint64_t *value)
{
    if (key >= s->keys) {
        count_miss(&s->statistics);
        return -1;
    }
    *value = s->values[key];
    count_hit(&s->statistics);
    return 0;
}

__attribute__((visibility("default"))) uint64_t store_hits(struct store *s)
{
    return s->statistics.hits;
}
