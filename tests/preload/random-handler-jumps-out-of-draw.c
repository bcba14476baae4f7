// SPDX-License-Identifier: MIT
// A handler that leaves a draw by siglongjmp(), at each instruction of it.
// claim: a thread that jumped out of a draw goes on drawing, without a hang and without a repeat
// matrix: random
#include "lib/moments.h"
#include "lib/pool.h"
#include <setjmp.h>

static struct pool *pool;
static unsigned runs;
static sigjmp_buf back;

static void jump(void)
{
    siglongjmp(back, 1);
}

static void taste(int letter)
{
    uint8_t drawn[DRAW_TASTE];

    draw_taste(drawn);
    pool_add(pool, POOL_PARTY(letter, runs), drawn, sizeof(drawn));
}

static void jump_once(struct moment *m)
{
    runs++;
    taste('b');
    if (sigsetjmp(back, 1) == 0)
        moment_run(m, jump);
    taste('a');
}

// In a new thread each time, which finds the state that the last one left behind.
static void *run(void *arg)
{
    jump_once(arg);
    return NULL;
}

int main(void)
{
    long budget = check_count(3000, 1000000);
    struct moment again = {.function = DRAW_GETRANDOM, .bytes = 32, .at = -1};

    check_deadline(25);
    pool = pool_new(1 << 19);
    step_prepare();
    for (int function = 0; function < DRAW_FUNCTIONS; function++)
        moments_try(run, (enum draw_function)function, 4, budget);
    moments_try(run, DRAW_ARC4RANDOM_BUF, 100, budget);
    moments_try(run, DRAW_GETRANDOM, 1500, budget);
    // The main thread, again and again.
    for (again.at = 0; again.at < 50; again.at++)
        jump_once(&again);
    pool_unique(pool);
    return CHECK_PASS;
}
