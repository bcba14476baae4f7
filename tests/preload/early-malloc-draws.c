// SPDX-License-Identifier: MIT
// An allocator that draws and locks in malloc() itself. ld.so and libc call it before main.
// claim: random functions and locks work inside another preload's malloc, and repeat nothing
// cflags: -fno-builtin
// run: UNCONTEND_RANDOM=vdso with=draws-in-malloc
// run: UNCONTEND_RANDOM=drbg with=draws-in-malloc
// run: UNCONTEND_RANDOM=system with=draws-in-malloc
// run: UNCONTEND_RANDOM=drbg with=draws-in-malloc,wipe-einval
// run: UNCONTEND_RANDOM=drbg with=draws-in-malloc,wipe-faked
// run: UNCONTEND_RANDOM=auto with=draws-in-malloc,no-vdso
// run: UNCONTEND_LOCKS=off with=draws-in-malloc
#include "lib/brood.h"
#include <dlfcn.h>

enum { KEPT = 512 };

// Of the allocator; absent when the program runs by itself.
extern uint8_t early_drawn[16 * KEPT] __attribute__((weak));
extern _Atomic unsigned early_draws __attribute__((weak));

static void *allocate(void *unused)
{
    for (size_t i = 0; i < 500; i++) {
        char *some = malloc(1 + i * 7);

        CHECK(some, "no memory");
        memset(some, 1, 1 + i * 7);
        some = realloc(some, 1 + i * 11);
        CHECK(some, "no memory");
        free(some);
    }
    return unused;
}

static int child(void *unused)
{
    allocate(unused);
    return CHECK_PASS;
}

int main(void)
{
    struct pool *pool = pool_new(1 << 18);
    unsigned before_main = &early_draws ? atomic_load(&early_draws) : 0;
    pthread_t thread;

    check_deadline(20);
    thread = check_thread(allocate, NULL);
    CHECK_IS(check_in_child(child, NULL), CHECK_PASS);
    allocate(NULL);
    check_join(thread);
    CHECK(!dlopen("libuncontend-absent.so", RTLD_NOW) && dlerror(), "found what is not there");
    for (unsigned i = 0; i < 50; i++)
        brood_draw(pool, POOL_PARTY('m', i));
    if (&early_draws) {
        CHECK(atomic_load(&early_draws) > before_main + 1000, "%u draws in malloc",
              atomic_load(&early_draws));
        pool_add(pool, POOL_PARTY('e', 0), early_drawn, sizeof(early_drawn));
    }
    pool_unique(pool);
    return CHECK_PASS;
}
