// SPDX-License-Identifier: MIT
// Owns handing bytes over: copied out and erased where they came from, through registers alone, so
// that no third copy stays on the stack.
// Cost: up to 64 bytes one or two loads and stores at each end, no loop and no call; above that a
// call of the widest registers' loop.
#ifndef UC_MOVE_H
#define UC_MOVE_H

#include "compiler.h"

// Up to so many bytes are moved inline, without a loop or a call.
enum { UC_MOVE_SMALL = 64 };

typedef uint64_t uc_move_sixteen __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t uc_move_eight __attribute__((aligned(1), may_alias));
typedef uint32_t uc_move_four __attribute__((aligned(1), may_alias));
typedef uint16_t uc_move_two __attribute__((aligned(1), may_alias));

// n <= UC_MOVE_SMALL. A size between two widths is moved as two ends that overlap; both are read
// before either is erased.
static inline __attribute__((always_inline)) void uc_move_small(uint8_t *restrict out,
                                                                uint8_t *restrict from, size_t n)
{
#define UC_MOVE_ENDS(type)                                                                         \
    do {                                                                                           \
        type first = *(const type *)from;                                                          \
        type last = *(const type *)(from + n - sizeof(type));                                      \
        *(type *)out = first;                                                                      \
        *(type *)(out + n - sizeof(type)) = last;                                                  \
        *(type *)from = (type){0};                                                                 \
        *(type *)(from + n - sizeof(type)) = (type){0};                                            \
    } while (0)
    if (n > 2 * sizeof(uc_move_sixteen)) {
        // Not a type of 32 bytes: compilers without such registers would use the stack.
        const uc_move_sixteen zero = {0};
        uc_move_sixteen *first = (uc_move_sixteen *)from;
        uc_move_sixteen *last = (uc_move_sixteen *)(from + n);
        uc_move_sixteen a = first[0];
        uc_move_sixteen b = first[1];
        uc_move_sixteen c = last[-2];
        uc_move_sixteen d = last[-1];
        ((uc_move_sixteen *)out)[0] = a;
        ((uc_move_sixteen *)out)[1] = b;
        ((uc_move_sixteen *)(out + n))[-2] = c;
        ((uc_move_sixteen *)(out + n))[-1] = d;
        first[0] = zero;
        first[1] = zero;
        last[-2] = zero;
        last[-1] = zero;
    } else if (n >= sizeof(uc_move_sixteen)) {
        UC_MOVE_ENDS(uc_move_sixteen);
    } else if (n >= sizeof(uc_move_eight)) {
        UC_MOVE_ENDS(uc_move_eight);
    } else if (n >= sizeof(uc_move_four)) {
        UC_MOVE_ENDS(uc_move_four);
    } else {
        if (n & 2) {
            *(uc_move_two *)out = *(const uc_move_two *)from;
            *(uc_move_two *)from = 0;
        }
        if (n & 1) {
            out[n - 1] = from[n - 1];
            from[n - 1] = 0;
        }
    }
#undef UC_MOVE_ENDS
}

// n > UC_MOVE_SMALL
extern void (*uc_move_large)(uint8_t *restrict out, uint8_t *restrict from, size_t n)
    __attribute__((visibility("hidden")));

static inline __attribute__((always_inline)) void uc_move(uint8_t *restrict out,
                                                          uint8_t *restrict from, size_t n)
{
    if (n <= UC_MOVE_SMALL)
        uc_move_small(out, from, n);
    else
        uc_move_large(out, from, n);
}

// Once, at start-up: the widest registers that the cipher uses as well, lanes words each.
void uc_move_start(unsigned lanes);

#endif
