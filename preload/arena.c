// SPDX-License-Identifier: MIT
// Owns the making of maps, by whoever comes first.
#include "arena.h"

#include "sys.h"

#include "poison.h"

size_t uc_arena_offset(const struct uc_arena *a, uint32_t place)
{
    uint32_t per_page = (uint32_t)(UC_PAGE / a->size);
    return (size_t)(place / per_page) * UC_PAGE + place % per_page * a->size;
}

size_t uc_arena_bytes(const struct uc_arena *a, uint32_t count)
{
    uint32_t per_page = (uint32_t)(UC_PAGE / a->size);
    return (size_t)((count + per_page - 1) / per_page) * UC_PAGE;
}

static uintptr_t make_chunk(struct uc_arena *a, uint32_t chunk)
{
    size_t n = uc_arena_bytes(a, uc_thread_chunk_count(chunk));
    void *fresh = a->map(n);
    if (!fresh)
        return 0;
    uintptr_t base = 0;
    // Release: who finds the address finds the mapping, marked and zeroed.
    if (atomic_compare_exchange_strong_explicit(&a->chunk[chunk], &base, (uintptr_t)fresh,
                                                memory_order_release, memory_order_acquire))
        return (uintptr_t)fresh;
    uc_sys_munmap(fresh, n);
    return base;
}

static void *find(struct uc_arena *a, uint32_t index, bool make)
{
    uint32_t chunk;
    uint32_t place = uc_thread_place(index, &chunk);
    // Pairs with the release in make_chunk.
    uintptr_t base = atomic_load_explicit(&a->chunk[chunk], memory_order_acquire);
    if (uc_unlikely(!base) && make && uc_thread_may_grow())
        base = make_chunk(a, chunk);
    return base ? (void *)(base + uc_arena_offset(a, place)) : NULL;
}

void *uc_arena_at(struct uc_arena *a, uint32_t index)
{
    return find(a, index, true);
}

void *uc_arena_peek(struct uc_arena *a, uint32_t index)
{
    return find(a, index, false);
}
