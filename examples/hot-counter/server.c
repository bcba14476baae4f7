// SPDX-License-Identifier: MIT
// The program: threads that look up keys. server THREADS SECONDS
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store.h"

enum { KEYS = 1000, MOST = 64 };

static struct store *store;
static atomic_bool stop;

static void *serve(void *lookups)
{
    unsigned key = 1;
    uint64_t n = 0;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        uint64_t value;
        if (store_get(store, key % KEYS, &value) == 0)
            key = key * 1664525 + 1013904223;
        n++;
    }
    *(uint64_t *)lookups = n;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST];
    uint64_t lookups[MOST];
    int count = argc > 1 ? atoi(argv[1]) : 2;
    unsigned seconds = argc > 2 ? (unsigned)atoi(argv[2]) : 3;
    uint64_t sum = 0;
    if (count < 1 || count > MOST)
        return 2;
    store = store_new(KEYS);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, serve, &lookups[i]);
    sleep(seconds);
    atomic_store(&stop, true);
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        sum += lookups[i];
    }
    printf("%.1f million lookups/s, %s\n", (double)sum / seconds / 1e6,
           store_hits(store) == sum ? "all of them counted" : "the count is wrong");
    return store_hits(store) != sum;
}
