// SPDX-License-Identifier: MIT
// The functions that count, in a file of their own: nobody inlines them.
#include "cache.h"

// add64(arg0+0x60)
uint64_t cache_hit(struct cache *c)
{
    pthread_rwlock_wrlock(&c->lock);
    uint64_t now = ++c->hits;
    pthread_rwlock_unlock(&c->lock);
    return now;
}

// add64(arg0+0x68,arg1)
void cache_miss(struct cache *c, uint64_t n)
{
    pthread_rwlock_wrlock(&c->lock);
    c->misses += n;
    pthread_rwlock_unlock(&c->lock);
}

// fetch_add32(arg0+0x70)
uint32_t cache_ref(struct cache *c)
{
    pthread_rwlock_wrlock(&c->lock);
    uint32_t before = c->references++;
    pthread_rwlock_unlock(&c->lock);
    return before;
}

// sub32(arg0+0x70)
uint32_t cache_unref(struct cache *c)
{
    pthread_rwlock_wrlock(&c->lock);
    uint32_t left = --c->references;
    pthread_rwlock_unlock(&c->lock);
    return left;
}

// fetch_sub32(arg0+0x74,arg1)
uint32_t cache_take(struct cache *c, uint32_t n)
{
    pthread_rwlock_wrlock(&c->lock);
    uint32_t before = c->room;
    c->room = before - n;
    pthread_rwlock_unlock(&c->lock);
    return before;
}

// load64(arg0+0x60)
uint64_t cache_hits(struct cache *c)
{
    pthread_rwlock_rdlock(&c->lock);
    uint64_t now = c->hits;
    pthread_rwlock_unlock(&c->lock);
    return now;
}
