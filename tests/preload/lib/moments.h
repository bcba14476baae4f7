// SPDX-License-Identifier: MIT
// A draw in which something happens at one instruction, for each instruction: what the tests of
// handlers inside a draw share.
#ifndef MOMENTS_H
#define MOMENTS_H

#include "draw.h"
#include "step.h"

struct moment {
    enum draw_function function;
    size_t bytes;
    long at, every; // as step_run has them
    long steps;     // out: how many the draw took
    uint8_t drawn[2048 + DRAW_TASTE];
};

static inline void moment_body(void *arg)
{
    struct moment *m = (struct moment *)arg;

    draw(m->function, m->drawn, m->bytes);
}

static inline void moment_run(struct moment *m, void (*act)(void))
{
    m->steps = step_run(m->at, m->every, act, moment_body, m);
}

// `run` gets a struct moment, in a new thread each time: first one at which nothing happens, then
// those that the budget allows. Returns how many instructions the draw has.
static inline long moments_try(void *(*run)(void *), enum draw_function function, size_t bytes,
                               long budget)
{
    struct moment m = {.function = function, .bytes = bytes, .at = -1};
    struct step_plan plan;
    long total;

    check_join(check_thread(run, &m));
    total = m.steps;
    plan = step_plan(total, budget);
    while ((m.at = step_plan_next(&plan)) >= 0)
        check_join(check_thread(run, &m));
    return total;
}

#endif
