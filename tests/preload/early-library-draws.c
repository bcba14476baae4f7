// SPDX-License-Identifier: MIT
// Libraries that were preloaded behind ours, and come first: one draws in its constructor, one in
// an IFUNC resolver, when ours is not even relocated.
// claim: random functions work in libraries that start before ours, and repeat nothing
// run: UNCONTEND_RANDOM=vdso with=draws-in-constructor
// run: UNCONTEND_RANDOM=drbg with=draws-in-constructor
// run: UNCONTEND_RANDOM=system with=draws-in-constructor
// run: UNCONTEND_RANDOM=drbg with=draws-in-constructor,wipe-faked
// run: UNCONTEND_RANDOM=auto with=draws-in-constructor,no-vdso
// run: UNCONTEND_RANDOM=vdso with=draws-in-ifunc
// run: UNCONTEND_RANDOM=drbg with=draws-in-ifunc
// run: UNCONTEND_RANDOM=system with=draws-in-ifunc
// run: UNCONTEND_RANDOM=drbg with=draws-in-ifunc,wipe-faked
// run: UNCONTEND_RANDOM=auto with=draws-in-ifunc,no-vdso
#include "lib/brood.h"

// Of the library that drew; absent when the program runs by itself.
extern uint8_t early_drawn[DRAW_TASTE] __attribute__((weak));
extern const uint8_t *early_caller(void) __attribute__((weak));

int main(void)
{
    struct pool *pool = pool_new(1 << 18);

    check_deadline(20);
    if (early_drawn)
        pool_add(pool, POOL_PARTY('e', 0), early_drawn, DRAW_TASTE);
    if (early_caller) {
        CHECK(early_caller(), "the draw in the resolver failed");
        pool_add(pool, POOL_PARTY('i', 0), early_caller(), DRAW_TASTE);
    }
    for (unsigned i = 0; i < 50; i++)
        brood_draw(pool, POOL_PARTY('m', i));
    brood_raise_all(pool, 2 * FAMILY_WAYS);
    pool_unique(pool);
    return CHECK_PASS;
}
