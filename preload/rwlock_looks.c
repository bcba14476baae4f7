// SPDX-License-Identifier: MIT
// Owns the table. Hints: lost updates do no harm.
#include "rwlock_looks.h"

#include <stdatomic.h>
#include <stdint.h>

#include "poison.h"

enum { BITS = 10, FAILED_SHIFT = 8 };

// Looks taken away from UC_LOOKS_MOST; above FAILED_SHIFT the spins in vain at the least.
static _Atomic(uint16_t) table[1 << BITS];

static _Atomic(uint16_t) *entry_of(const void *lock)
{
    return &table[(uintptr_t)lock * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS)];
}

unsigned uc_looks_of(const void *lock)
{
    unsigned word = atomic_load_explicit(entry_of(lock), memory_order_relaxed);
    if (word >> FAILED_SHIFT >= UC_LOOKS_PROBE)
        return UC_LOOKS_MOST;
    return UC_LOOKS_MOST - (word & ((1 << FAILED_SHIFT) - 1));
}

void uc_looks_learn(const void *lock, bool got)
{
    _Atomic(uint16_t) *entry = entry_of(lock);
    const unsigned word = atomic_load_explicit(entry, memory_order_relaxed);
    unsigned failed = word >> FAILED_SHIFT;
    unsigned less = word & ((1 << FAILED_SHIFT) - 1);
    if (got) {
        // A probe that got it: start over.
        less = less > UC_LOOKS_MORE && failed < UC_LOOKS_PROBE ? less - UC_LOOKS_MORE : 0;
        failed = 0;
    } else if (less + UC_LOOKS_LESS <= UC_LOOKS_MOST - UC_LOOKS_LEAST) {
        less += UC_LOOKS_LESS;
    } else {
        failed = failed < UC_LOOKS_PROBE ? failed + 1 : 0;
    }
    unsigned now = failed << FAILED_SHIFT | less;
    if (now != word)
        atomic_store_explicit(entry, (uint16_t)now, memory_order_relaxed);
}
