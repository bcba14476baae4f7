// SPDX-License-Identifier: MIT
// Chains of descendants, by changing ways, each generation alive while the next one draws.
// claim: no generation of a chain of children repeats bytes of any other
// matrix: random
#include "lib/brood.h"

enum { DEPTH = 24 };

struct generation {
    struct pool *pool;
    unsigned chain;
    unsigned depth;
};

static void descend(void *arg)
{
    const struct generation *self = arg;
    struct generation next = {self->pool, self->chain, self->depth + 1};
    uint32_t number = self->chain * DEPTH + self->depth;
    // Borrowed memory in the last two generations only: below a vfork child all is borrowed.
    unsigned ways = self->depth + 3 < DEPTH ? FAMILY_COPIES : FAMILY_WAYS;
    enum family_way way = (enum family_way)((self->chain + self->depth) % ways);

    alarm(10);
    // Every other chain forks before its first draw in that generation.
    if (self->chain % 2 == 0)
        brood_draw(self->pool, POOL_PARTY('a', number));
    if (next.depth < DEPTH) {
        pid_t pid = family_child(way, descend, &next);

        brood_draw(self->pool, POOL_PARTY('b', number));
        CHECK_IS(check_collect(pid), 0);
    }
    brood_draw(self->pool, POOL_PARTY('c', number));
}

int main(void)
{
    struct pool *pool = pool_new(1 << 20);
    long chains = check_count(24, 100);

    check_deadline(25);
    for (long i = 0; i < chains; i++) {
        struct generation first = {pool, (unsigned)i, 0};

        descend(&first);
    }
    pool_unique(pool);
    return CHECK_PASS;
}
