// SPDX-License-Identifier: MIT
// What the cache library exports.
#include "cache.h"

#include <stdlib.h>

#define API __attribute__((visibility("default")))

API struct cache *cache_new(void)
{
    struct cache *c = calloc(1, sizeof *c);
    if (!c || pthread_rwlock_init(&c->lock, NULL) != 0)
        abort();
    c->references = 1;
    c->room = UINT32_MAX;
    return c;
}

API uint64_t cache_use(struct cache *c, uint64_t n, int alone)
{
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t hits = cache_hits(c);
        uint64_t hit = cache_hit(c);
        wrong += alone ? hit != hits + 1 : hit <= hits;
        cache_miss(c, i);
        uint32_t before = cache_ref(c);
        wrong += alone ? before != 1 : before < 1;
        uint32_t left = cache_unref(c);
        wrong += alone ? left != 1 : left < 1;
        uint32_t room = cache_take(c, 3);
        wrong += cache_take(c, 0) > room - 3;
    }
    return wrong;
}
