// SPDX-License-Identifier: MIT
// Owns the memory of the per-thread generators: who has which slot, and that a slot is erased by
// a fork, at its thread's end and at the end of the process. Knows nothing of ciphers.
// Cost: found once in a thread's life; the first of many threads costs a map (wipe.h). Erasing is
// 1152 bytes of stores. Whether a slot is whole is one load.
#ifndef UC_SLOT_H
#define UC_SLOT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "compiler.h"

// CPUs fetch cache lines by pairs: two threads that write to one pair slow each other down.
enum { UC_SLOT_ALIGNMENT = 2 * UC_CACHE_LINE };

enum { UC_SLOT_KEY = 32, UC_SLOT_STREAM = 1024, UC_SLOT_OUTPUT = UC_SLOT_STREAM - UC_SLOT_KEY };

enum uc_slot_life {
    UC_SLOT_EMPTY, // what a wiped page says
    UC_SLOT_SEEDING,
    UC_SLOT_SEEDED,
};

// Lies in pages that are zeroed in a fork's child: all zero means unseeded. Only its own thread
// changes it, with uc_tls.drawing set, but a wipe may zero it between any two instructions: what
// was copied out of it counts only if life is still UC_SLOT_SEEDED afterwards.
struct uc_slot {
    _Atomic(uint32_t) life;
    uint32_t left;                  // bytes of output not handed out yet
    uint64_t drawn;                 // bytes made since the last fresh seed
    uint64_t seeded_at;             // seconds of time() at that
    uint64_t spare[5];              // to a whole cache line
    uint8_t stream[UC_SLOT_STREAM]; // the next key, then output: the first .left bytes of it
} __attribute__((aligned(UC_SLOT_ALIGNMENT)));

// Makes the first slots, so that a program that sandboxes itself later needs no memory then.
// 0, or a negative errno.
int uc_slot_start(void);

// The slot of the thread record with this index; NULL: no memory. Any thread.
struct uc_slot *uc_slot_at(uint32_t index);

// Erases; a draw that is going on notices. Any thread.
void uc_slot_wipe(struct uc_slot *s);

// At the end of the process: all of them, and none is to be seeded again. A draw that is going on
// in another thread may write to its slot once more; that thread wipes it.
void uc_slot_close(void);
bool uc_slot_closed(void);

// True when the slot has not been wiped since it was seeded, after reading from it.
static inline bool uc_slot_is_whole(const struct uc_slot *s)
{
    // Pairs with the wiper's release fence: who read a byte that was wiped reads life as empty.
    atomic_thread_fence(memory_order_acquire);
    return uc_likely(atomic_load_explicit(&s->life, memory_order_relaxed) == UC_SLOT_SEEDED);
}

#endif
