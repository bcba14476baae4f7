// SPDX-License-Identifier: MIT
// A handler at each instruction of a draw, which draws itself, short and long.
// claim: a draw in a signal handler and the draw that it interrupts get different bytes, none zero
// matrix: random
#include "lib/moments.h"
#include "lib/pool.h"

static struct pool *pool;
static unsigned runs, acts;

static void draw_in_handler(void)
{
    static const size_t sizes[] = {16, 40, 16, 32, 900, 17};
    uint8_t drawn[900];
    size_t bytes = sizes[acts % 6];

    draw((enum draw_function)(acts % DRAW_FUNCTIONS), drawn, bytes);
    pool_add(pool, POOL_PARTY('h', acts++), drawn, bytes);
}

// In a thread that has drawn once, so that each run finds the same state. What follows in the same
// thread shows whether the handler left it sane.
static void *run(void *arg)
{
    struct moment *m = arg;

    draw(m->function, m->drawn, 16);
    pool_add(pool, POOL_PARTY('w', runs), m->drawn, 16);
    moment_run(m, draw_in_handler);
    draw_taste(m->drawn + m->bytes);
    pool_add(pool, POOL_PARTY('m', runs++), m->drawn, m->bytes + DRAW_TASTE);
    return NULL;
}

static void first_draw(void *arg)
{
    draw(DRAW_GETRANDOM, arg, 24);
}

// A thread's very first draw, interrupted everywhere.
static void *run_first(void *every)
{
    uint8_t drawn[24 + DRAW_TASTE];

    step_run(0, (long)(intptr_t)every, draw_in_handler, first_draw, drawn);
    draw_taste(drawn + 24);
    pool_add(pool, POOL_PARTY('f', runs++), drawn, sizeof(drawn));
    return NULL;
}

static void try_all(enum draw_function function, size_t bytes, long budget)
{
    long steps = moments_try(run, function, bytes, budget);
    // Many times in one draw.
    struct moment m = {.function = function, .bytes = bytes, .every = steps < 500 ? 1 : 11};

    check_join(check_thread(run, &m));
}

int main(void)
{
    long budget = check_count(3000, 1000000);

    check_deadline(25);
    pool = pool_new(1 << 19);
    step_prepare();
    for (int function = 0; function < DRAW_FUNCTIONS; function++)
        try_all((enum draw_function)function, 4, budget);
    try_all(DRAW_GETRANDOM, 100, budget);
    try_all(DRAW_GETRANDOM, 1500, check_long() ? budget : 0);
    try_all(DRAW_ARC4RANDOM_BUF, 2048, 0);
    for (intptr_t every = 1; every < 60; every += check_long() ? 1 : 19)
        check_join(check_thread(run_first, (void *)every));
    pool_unique(pool);
    return CHECK_PASS;
}
