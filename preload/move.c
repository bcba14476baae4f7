// SPDX-License-Identifier: MIT
// Owns the loops, one for each width of registers.
#include "move.h"

#include "poison.h"

// Two registers at a time: read, written, erased, so that neighbouring stores go to one cache line.
// The last piece, which overlaps what is before it, is read first.
#define MOVE(name, width, target, narrower)                                                        \
    typedef uint64_t name##_vector __attribute__((vector_size(width), aligned(1), may_alias));     \
    target static void name(uint8_t *restrict out, uint8_t *restrict from, size_t n)               \
    {                                                                                              \
        if (n < (width)) {                                                                         \
            narrower(out, from, n);                                                                \
            return;                                                                                \
        }                                                                                          \
        const name##_vector zero = {0};                                                            \
        name##_vector last = *(const name##_vector *)(from + n - (width));                         \
        name##_vector *to = (name##_vector *)out;                                                  \
        name##_vector *at = (name##_vector *)from;                                                 \
        for (size_t pairs = n / (2 * (width)); pairs > 0; pairs--, at += 2, to += 2) {             \
            name##_vector a = at[0];                                                               \
            name##_vector b = at[1];                                                               \
            to[0] = a;                                                                             \
            to[1] = b;                                                                             \
            at[0] = zero;                                                                          \
            at[1] = zero;                                                                          \
        }                                                                                          \
        if (n & (width)) {                                                                         \
            *to = *at;                                                                             \
            *at = zero;                                                                            \
        }                                                                                          \
        *(name##_vector *)(out + n - (width)) = last;                                              \
        *(name##_vector *)(from + n - (width)) = zero;                                             \
    }

MOVE(by_16, 16, , uc_move_small)
#if defined(__x86_64__)
MOVE(by_32, 32, __attribute__((target("avx2"))), by_16)
MOVE(by_64, 64, __attribute__((target("avx512f"))), by_16)
#endif

void (*uc_move_large)(uint8_t *restrict, uint8_t *restrict, size_t) = by_16;

void uc_move_start(unsigned lanes)
{
#if defined(__x86_64__)
    uc_move_large = lanes >= 16 ? by_64 : lanes >= 8 ? by_32 : by_16;
#else
    (void)lanes;
#endif
}
