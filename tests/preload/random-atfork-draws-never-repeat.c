// SPDX-License-Identifier: MIT
// Handlers of pthread_atfork() that draw, registered both before and after anything a preload may
// register, so that they run on both sides of it; some make a child of their own.
// claim: draws in prepare, parent and child handlers, and in children made there, repeat nothing
// matrix: random
#include "lib/brood.h"

static struct pool *pool;
static _Atomic unsigned *numbers; // shared, so that each party has its own

static void draw_here(int letter)
{
    brood_draw(pool, POOL_PARTY(letter, atomic_fetch_add(numbers, 1)));
}

static void child_here(int letter)
{
    static const enum family_way ways[] = {FAMILY__FORK, FAMILY_SYS_FORK, FAMILY_SYS_CLONE,
                                           FAMILY_VFORK, FAMILY_SPAWN};
    unsigned number = atomic_fetch_add(numbers, 1);
    struct brood_child child = {pool, POOL_PARTY(letter, number)};

    if (number % 4 == 0)
        CHECK_IS(check_collect(family_child(ways[number / 4 % 5], brood_child_main, &child)), 0);
}

static void prepare(void)
{
    if (pool) {
        draw_here('p');
        child_here('P');
    }
}

static void parent(void)
{
    if (pool) {
        child_here('R');
        draw_here('r');
    }
}

// The one registered before main is the first to run in the child.
static void child(void)
{
    if (pool) {
        alarm(10);
        draw_here('c');
        child_here('C');
    }
}

static void register_handlers(void)
{
    CHECK_IS(pthread_atfork(prepare, parent, child), 0);
}

__attribute__((used,
               section(".preinit_array"))) static void (*const preinit)(void) = register_handlers;

int main(void)
{
    struct brood_neighbour neighbour;

    check_deadline(25);
    register_handlers();
    numbers = check_shared(sizeof(*numbers));
    pool = pool_new(1 << 19);
    brood_meet(&neighbour, pool, 0);
    for (long i = 0; i < check_count(150, 1000); i++) {
        pid_t pid = CHECK_CALL(fork());

        if (pid == 0) {
            draw_here('d');
            _exit(CHECK_PASS);
        }
        draw_here('m');
        CHECK_IS(check_collect(pid), CHECK_PASS);
    }
    brood_part(&neighbour);
    pool_unique(pool);
    return CHECK_PASS;
}
