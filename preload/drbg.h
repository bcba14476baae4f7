// SPDX-License-Identifier: MIT
// Owns the generator in a slot: ChaCha20 with fast key erasure. The keystream of each key is made
// 1024 bytes at once; the first 32 are the next key, the rest is handed out from its end and erased
// as it goes, so that memory read later tells nothing about earlier output (backtracking
// resistance). A fresh seed from the kernel is mixed in after so many bytes or seconds.
// The caller holds the slot: it set uc_tls.drawing, and nobody else changes the slot but to wipe
// it.
// Cost: a draw from the buffer is two loads, two comparisons and a store beside the copying and
// erasing; every 992 bytes one batch of ChaCha20 and one time(). A seed is one system call, a fresh
// one each 1 MiB or 60 s by default. No lock, no allocation, and no atomic instruction but one at
// the first seed.
#ifndef UC_DRBG_H
#define UC_DRBG_H

#include "move.h"
#include "slot.h"
#include "thread.h"

// Once, at start-up. seconds 0: by bytes alone.
void uc_drbg_start(uint64_t reseed_bytes, uint64_t reseed_seconds);

// n bytes, whatever it takes: 0, or a negative errno. flags as for getrandom, for a first seed.
// -ESTALE: wiped again and again while drawing, or for good; ask the kernel.
int uc_drbg_draw(struct uc_slot *s, struct uc_thread *t, void *out, size_t n, unsigned flags);

// n bytes out of what the slot still has. False: not enough there, or wiped meanwhile; what is in
// out then counts for nothing.
static inline __attribute__((always_inline)) bool uc_drbg_take(struct uc_slot *s, void *out,
                                                               size_t n)
{
    uint32_t left = s->left;
    if (uc_unlikely(n > left))
        return false;
    left -= (uint32_t)n;
    uc_move(out, s->stream + UC_SLOT_KEY + left, n);
    if (!uc_slot_is_whole(s))
        return false;
    // A fork right here leaves this number in an otherwise empty slot: never used, as life says.
    s->left = left;
    return true;
}

#endif
