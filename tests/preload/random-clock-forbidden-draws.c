// SPDX-License-Identifier: MIT
// claim: a program that forbids itself the CPU's clock goes on drawing
// matrix: random
#include "lib/draw.h"
#include "lib/pool.h"

#include <sys/prctl.h>

enum { DRAWS = 500 };

int main(void)
{
    struct pool *pool = pool_new(1 << 14);
    uint8_t drawn[100];
    // glibc's malloc makes a key at first, of the clock where getrandom is refused.
    void *volatile first = malloc(1);

    free(first);
    CHECK_CALL(prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0));
    for (unsigned i = 0; i < DRAWS; i++) {
        draw((enum draw_function)(i % DRAW_FUNCTIONS), drawn, sizeof(drawn));
        pool_add(pool, POOL_PARTY('m', i), drawn, sizeof(drawn));
    }
    pool_unique(pool);
    return CHECK_PASS;
}
