// SPDX-License-Identifier: MIT
// A place, shared with all children, for everything that was drawn, and the question whether any of
// it came twice. Safe in threads, signal handlers and children of any kind.
//
// What is kept are windows of 16 bytes: those at multiples of 16, and besides those whose first
// byte is a multiple of 16, wherever they lie. The second kind finds a repeat that is shifted by an
// odd number of bytes, because the same bytes choose the same windows.
#ifndef POOL_H
#define POOL_H

#include "check.h"
#include <stdatomic.h>

enum { POOL_WINDOW = 16 };

struct pool_entry {
    uint64_t window[2];
    uint32_t at;            // offset in what the party handed in
    _Atomic uint32_t party; // who drew it: a letter and a number; 0: killed before it was written
};

struct pool {
    _Atomic size_t used;
    _Atomic uint64_t looked;           // bytes among which zeros were looked for
    _Atomic unsigned zeros;            // runs of four zero bytes or more among them
    _Atomic uint64_t before_zeros[64]; // what came before each
    size_t room;
    struct pool_entry entries[];
};

#define POOL_PARTY(letter, number) (((uint32_t)(letter) << 24) | ((uint32_t)(number)&0xffffff))

// Room for so many windows, eight times as many in the long form. 512 bytes drawn make 70.
static inline struct pool *pool_new(size_t room)
{
    struct pool *pool;

    room = check_long() ? 8 * room : room;
    pool = (struct pool *)check_shared(sizeof(*pool) + room * sizeof(struct pool_entry));
    pool->room = room;
    return pool;
}

// True while less than half is used: for a party that draws as long as it is allowed to.
static inline int pool_has_room(struct pool *pool)
{
    return atomic_load(&pool->used) < pool->room / 2;
}

static inline void pool_put(struct pool *pool, uint32_t party, const uint8_t *data, size_t at)
{
    size_t slot = atomic_fetch_add(&pool->used, 1);

    CHECK(slot < pool->room, "the test's pool of %zu windows is too small", pool->room);
    memcpy(pool->entries[slot].window, data + at, POOL_WINDOW);
    pool->entries[slot].at = (uint32_t)at;
    // Last, whatever the compiler thinks: the process may end between any two of these.
    atomic_store_explicit(&pool->entries[slot].party, party, memory_order_release);
}

// Could so many runs of four zero bytes be there by chance? Such a run begins at a place once in
// 2^32, and some tests draw until they are told to stop: more on a busy machine. mean^runs / runs!
// is never less than the chance of so many.
static inline int pool_is_chance(uint64_t looked, unsigned runs)
{
    double mean = (double)looked / 4294967296.0, chance = 1;

    for (unsigned i = 1; i <= runs; i++)
        chance *= mean / i;
    return chance > 1e-7;
}

// A run that was seen in another process that has the same draw, since one began in the middle of
// it, is no other: the eight bytes before it are those before that one.
static inline int pool_is_known(struct pool *pool, const uint8_t *data, size_t last)
{
    enum { RUN = 4, MOST = sizeof(pool->before_zeros) / sizeof(pool->before_zeros[0]) };
    uint64_t before = 0, none;

    if (last < sizeof(before) + RUN - 1)
        return 0;
    memcpy(&before, data + last + 1 - RUN - sizeof(before), sizeof(before));
    for (int i = 0; i < MOST; i++) {
        none = 0;
        if (atomic_compare_exchange_strong(&pool->before_zeros[i], &none, before))
            return 0;
        if (none == before)
            return 1;
    }
    return 0;
}

// Bytes that were wiped, or never written, are zeros. Seven in a row come once in 2^56 places by
// chance and are enough to tell. Of runs of four all are told, since the test may fail by a later
// one.
static inline void pool_no_zeros(struct pool *pool, uint32_t party, const uint8_t *data,
                                 size_t bytes)
{
    uint64_t looked = atomic_fetch_add(&pool->looked, bytes) + bytes;
    size_t run = 0;

    for (size_t i = 0; i < bytes; i++) {
        run = data[i] ? 0 : run + 1;
        if (run != 4 && run != 7)
            continue;
        check_say(__FILE__, __LINE__, "%zu zero bytes in a row, to offset %zu of %zu, by %c%u", run,
                  i, bytes, (int)(party >> 24), (unsigned)(party & 0xffffff));
        if (run == 4 && pool_is_known(pool, data, i))
            continue;
        if (run == 7 || !pool_is_chance(looked, atomic_fetch_add(&pool->zeros, 1) + 1))
            FAIL("no chance: %u runs of four zeros in %llu bytes", atomic_load(&pool->zeros),
                 (unsigned long long)looked);
    }
}

// All that a party drew, in the order in which it drew it; at least one window.
static inline void pool_add(struct pool *pool, uint32_t party, const void *drawn, size_t bytes)
{
    const uint8_t *data = (const uint8_t *)drawn;

    CHECK(bytes >= POOL_WINDOW, "%zu bytes are too few to tell anything", bytes);
    pool_no_zeros(pool, party, data, bytes);
    for (size_t i = 0; i + POOL_WINDOW <= bytes; i++)
        if (i % POOL_WINDOW == 0 || data[i] % 16 == 0 || i + POOL_WINDOW == bytes)
            pool_put(pool, party, data, i);
}

static inline int pool_order(const void *left, const void *right)
{
    const struct pool_entry *a = (const struct pool_entry *)left;
    const struct pool_entry *b = (const struct pool_entry *)right;

    if (a->window[0] != b->window[0])
        return a->window[0] < b->window[0] ? -1 : 1;
    return a->window[1] < b->window[1] ? -1 : a->window[1] > b->window[1];
}

// Fails if any window came twice. Call it once, when all parties are done. Returns how many windows
// there were.
static inline size_t pool_unique(struct pool *pool)
{
    size_t used = atomic_load(&pool->used), repeats = 0;

    qsort(pool->entries, used, sizeof(pool->entries[0]), pool_order);
    for (size_t i = 1; i < used; i++) {
        const struct pool_entry *a = &pool->entries[i - 1], *b = &pool->entries[i];

        if (pool_order(a, b) != 0 || !a->party || !b->party)
            continue;
        if (repeats++ < 5)
            check_say(__FILE__, __LINE__, "drawn twice: by %c%u at %u and by %c%u at %u",
                      (int)(a->party >> 24), (unsigned)(a->party & 0xffffff), a->at,
                      (int)(b->party >> 24), (unsigned)(b->party & 0xffffff), b->at);
    }
    CHECK(repeats == 0, "%zu of %zu windows of 16 bytes came twice", repeats, used);
    return used;
}

#endif
