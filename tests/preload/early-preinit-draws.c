// SPDX-License-Identifier: MIT
// Functions in DT_PREINIT_ARRAY run before the constructor of any library.
// claim: random functions and locks work when called before any constructor, and repeat nothing
// matrix: random
#include "lib/brood.h"

static uint8_t early[2][DRAW_TASTE];
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void use_lock(void)
{
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    CHECK_IS(pthread_rwlock_tryrdlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
    CHECK_IS(pthread_rwlock_tryrdlock(&lock), EBUSY);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
}

static void draw_early(void)
{
    use_lock();
    draw_taste(early[0]);
}

// Held over the start of everything else.
static void lock_early(void)
{
    draw_taste(early[1]);
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
}

__attribute__((used, section(".preinit_array"))) static void (*const preinit[])(void) = {
    draw_early,
    lock_early,
};

int main(void)
{
    struct pool *pool = pool_new(1 << 18);

    check_deadline(20);
    CHECK_IS(pthread_rwlock_trywrlock(&lock), EBUSY);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    use_lock();
    for (unsigned i = 0; i < 2; i++)
        pool_add(pool, POOL_PARTY('e', i), early[i], DRAW_TASTE);
    for (unsigned i = 0; i < 50; i++)
        brood_draw(pool, POOL_PARTY('m', i));
    brood_raise_all(pool, 2 * FAMILY_WAYS);
    pool_unique(pool);
    return CHECK_PASS;
}
