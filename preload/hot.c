// SPDX-License-Identifier: MIT
// Owns the changing of entries. A handler may come at any point, note something itself, and never
// come back: so an entry that is being changed is marked, and is not used by anybody else.
#include "hot.h"

#include "origin.h"

#include "poison.h"

static uint64_t load(const uint64_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static void store(uint64_t *p, uint64_t v)
{
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
}

// The entry of that lock and caller, or the least busy one.
static struct uc_hot *find(struct uc_hot table[UC_HOT_SLOTS], uint64_t lock, uint64_t caller)
{
    struct uc_hot *least = NULL;
    for (size_t i = 0; i < UC_HOT_SLOTS; i++) {
        struct uc_hot *e = &table[i];
        if (load(&e->state) & (UC_HOT_MOVING | UC_HOT_ADDING))
            continue; // in the hands of what a handler interrupted
        if (load(&e->lock) == lock && load(&e->caller) == caller)
            return e;
        if (!least || load(&e->lock) == 0 ||
            (load(&least->lock) != 0 && load(&e->ticks) < load(&least->ticks)))
            least = e;
    }
    return least;
}

static UC_COLD void give(struct uc_hot *e, uint64_t lock, uint64_t caller)
{
    uint64_t state = load(&e->state);
    store(&e->state, state | UC_HOT_MOVING);
    // Release fences: a reader that sees any of what follows sees the mark, or the new number.
    __atomic_thread_fence(__ATOMIC_RELEASE);
    store(&e->lock, lock);
    store(&e->caller, caller);
    store(&e->tries, 0);
    store(&e->waits, 0);
    store(&e->ticks, 0);
    store(&e->longest, 0);
    // Release: pairs with the acquire in uc_hot_read.
    __atomic_store_n(&e->state, state + UC_HOT_NEXT, __ATOMIC_RELEASE);
    uc_origin_note(caller & ~UC_HOT_WRITE);
    uc_origin_note(lock);
}

void uc_hot_note(struct uc_hot table[UC_HOT_SLOTS], const void *lock, uintptr_t caller,
                 uint64_t ticks, bool slept)
{
    struct uc_hot *e = find(table, (uintptr_t)lock, caller);
    if (!e)
        return;
    if (load(&e->lock) != (uintptr_t)lock || load(&e->caller) != caller)
        give(e, (uintptr_t)lock, caller);
    uint64_t state = load(&e->state);
    store(&e->state, state | UC_HOT_ADDING);
    uc_compiler_barrier(); // against handlers
    store(&e->tries, load(&e->tries) + 1);
    store(&e->waits, load(&e->waits) + slept);
    store(&e->ticks, load(&e->ticks) + ticks);
    if (ticks > load(&e->longest))
        store(&e->longest, ticks);
    uc_compiler_barrier();
    store(&e->state, state);
}

bool uc_hot_read(const struct uc_hot *e, struct uc_hot *copy)
{
    // Acquire: what is read below belongs to this owner, or to a later one.
    uint64_t state = __atomic_load_n(&e->state, __ATOMIC_ACQUIRE) & ~UC_HOT_ADDING;
    *copy = (struct uc_hot){
        .state = state,
        .lock = load(&e->lock),
        .caller = load(&e->caller),
        .tries = load(&e->tries),
        .waits = load(&e->waits),
        .ticks = load(&e->ticks),
        .longest = load(&e->longest),
    };
    __atomic_thread_fence(__ATOMIC_ACQUIRE); // pairs with the fence in give()
    uint64_t after = load(&e->state) & ~UC_HOT_ADDING;
    return state == after && !(state & UC_HOT_MOVING) && copy->lock && copy->caller;
}
