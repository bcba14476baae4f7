// SPDX-License-Identifier: MIT
// A plain C library that counts under a lock: hits, misses and bytes of a cache, references to it.
#ifndef TARGET_CACHE_H
#define TARGET_CACHE_H

#include <pthread.h>
#include <stdint.h>

struct cache {
    char name[40];
    pthread_rwlock_t lock; // 56 bytes
    uint64_t hits;         // 0x60
    uint64_t misses;       // 0x68
    uint32_t references;   // 0x70
    uint32_t room;         // 0x74
};
_Static_assert(sizeof(pthread_rwlock_t) == 56, "the offsets below hold on x86-64 and aarch64");

#define HIDDEN __attribute__((visibility("hidden")))

// Each stands for a kind of action; cache_counters.c says which.
HIDDEN uint64_t cache_hit(struct cache *c);
HIDDEN void cache_miss(struct cache *c, uint64_t n);
HIDDEN uint32_t cache_ref(struct cache *c);
HIDDEN uint32_t cache_unref(struct cache *c);
HIDDEN uint32_t cache_take(struct cache *c, uint32_t n);
HIDDEN uint64_t cache_hits(struct cache *c);

struct cache *cache_new(void);
// Every function above n times, checking what each returns: alone = no other thread uses c.
// Returns how many returned something wrong.
uint64_t cache_use(struct cache *c, uint64_t n, int alone);

#endif
