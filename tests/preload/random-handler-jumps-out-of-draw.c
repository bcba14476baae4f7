// SPDX-License-Identifier: MIT
// A handler that leaves a draw by siglongjmp(), at each instruction of it.
// claim: a thread that jumped out of a draw goes on drawing, without a hang and without a repeat
// matrix: random
#include "lib/draw.h"
#include "lib/pool.h"
#include "lib/step.h"
#include <setjmp.h>

static struct pool *pool;
static unsigned runs;
static sigjmp_buf back;

struct job {
    enum draw_function function;
    size_t bytes;
    long at, steps;
    uint8_t drawn[1500];
};

static void jump(void)
{
    siglongjmp(back, 1);
}

static void body(void *arg)
{
    struct job *job = arg;

    draw(job->function, job->drawn, job->bytes);
}

static void taste(int letter)
{
    uint8_t drawn[DRAW_TASTE];

    draw_taste(drawn);
    pool_add(pool, POOL_PARTY(letter, runs), drawn, sizeof(drawn));
}

static void jump_once(struct job *job)
{
    runs++;
    taste('b');
    if (sigsetjmp(back, 1) == 0)
        job->steps = step_run(job->at, 0, jump, body, job);
    taste('a');
}

static void *run(void *arg)
{
    jump_once(arg);
    return NULL;
}

// In a new thread each time, which finds the state that the last one left behind.
static void try_all(enum draw_function function, size_t bytes, long budget)
{
    struct job job = {.function = function, .bytes = bytes, .at = -1};
    struct step_plan plan;

    check_join(check_thread(run, &job));
    plan = step_plan(job.steps, budget);
    while ((job.at = step_plan_next(&plan)) >= 0)
        check_join(check_thread(run, &job));
}

int main(void)
{
    long budget = check_count(3000, 1000000);
    struct job again = {.function = DRAW_GETRANDOM, .bytes = 32, .at = -1};

    check_deadline(25);
    pool = pool_new(1 << 19);
    step_prepare();
    for (int function = 0; function < DRAW_FUNCTIONS; function++)
        try_all((enum draw_function)function, 4, budget);
    try_all(DRAW_ARC4RANDOM_BUF, 100, budget);
    try_all(DRAW_GETRANDOM, 1500, budget);
    // The main thread, again and again.
    for (again.at = 0; again.at < 50; again.at++)
        jump_once(&again);
    pool_unique(pool);
    return CHECK_PASS;
}
