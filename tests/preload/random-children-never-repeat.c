// SPDX-License-Identifier: MIT
// Children of a multi-threaded program's main thread, in all ways to make one.
// claim: no child, by whatever call, repeats bytes of its parent, its siblings or other threads
// matrix: random
#include "lib/brood.h"

int main(void)
{
    struct pool *pool = pool_new(1 << 19);
    struct brood_neighbour neighbour;

    check_deadline(25);
    brood_meet(&neighbour, pool, 0);
    brood_raise_all(pool, (unsigned)draw_count(1000, 4000));
    brood_part(&neighbour);
    pool_unique(pool);
    return CHECK_PASS;
}
