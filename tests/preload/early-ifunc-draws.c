// SPDX-License-Identifier: MIT
// The program's own indirect function: its resolver runs while ld.so relocates the program, when
// libraries are relocated but not initialised.
// claim: random functions work in an IFUNC resolver of the program, and repeat nothing
// matrix: random
// run: UNCONTEND_RANDOM=drbg LD_BIND_NOW=1
// run: UNCONTEND_RANDOM=vdso LD_BIND_NOW=1
#include "lib/brood.h"

static uint8_t early[256];
static long early_result;

int chosen(void);

static int answer(void)
{
    return 42;
}

__attribute__((used)) static int (*resolve(void))(void)
{
    early_result = getrandom(early, sizeof(early), 0);
    return answer;
}

int chosen(void) __attribute__((ifunc("resolve")));

int main(void)
{
    struct pool *pool = pool_new(1 << 18);

    check_deadline(20);
    CHECK_IS(chosen(), 42);
    CHECK_IS(early_result, sizeof(early));
    pool_add(pool, POOL_PARTY('e', 0), early, sizeof(early));
    for (unsigned i = 0; i < 50; i++)
        brood_draw(pool, POOL_PARTY('m', i));
    brood_raise_all(pool, 2 * FAMILY_WAYS);
    pool_unique(pool);
    return CHECK_PASS;
}
