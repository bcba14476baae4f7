// SPDX-License-Identifier: MIT
// Owns the erasing of slots.
#include "slot.h"

#include <errno.h>

#include "arena.h"
#include "wipe.h"

#include "poison.h"

static struct uc_arena slots = {.map = uc_wipe_map, .size = sizeof(struct uc_slot)};

struct uc_slot *uc_slot_at(uint32_t index)
{
    return uc_arena_at(&slots, index);
}

int uc_slot_start(void)
{
    return uc_slot_at(0) ? 0 : -ENOMEM;
}

void uc_slot_wipe(struct uc_slot *s)
{
    atomic_store_explicit(&s->life, UC_SLOT_EMPTY, memory_order_relaxed);
    // Pairs with the fence in uc_slot_is_whole.
    atomic_thread_fence(memory_order_release);
    uc_wipe(s, sizeof *s);
}

static _Atomic(bool) closed;

bool uc_slot_closed(void)
{
    return atomic_load_explicit(&closed, memory_order_relaxed);
}

void uc_slot_close(void)
{
    atomic_store_explicit(&closed, true, memory_order_seq_cst);
    uint32_t n = uc_thread_high();
    for (uint32_t i = 0; i < n; i++) {
        struct uc_slot *s = uc_arena_peek(&slots, i);
        // Reading first: pages that no thread used stay without memory.
        if (s && atomic_load_explicit(&s->life, memory_order_relaxed) != UC_SLOT_EMPTY)
            uc_slot_wipe(s);
    }
}
