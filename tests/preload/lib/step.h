// SPDX-License-Identifier: MIT
// A signal handler that runs at one chosen instruction of a function, so that "a signal inside a
// draw" is no matter of luck: the processor's trap flag raises SIGTRAP after each instruction, and
// the handler acts at the one asked for. It owns SIGTRAP. One thread at a time may step.
#ifndef STEP_H
#define STEP_H

#include "check.h"
#include <ucontext.h>

#define STEP_TRAP_FLAG 0x100

static struct {
    long next;         // the instruction to act at
    long every;        // and again after so many; 0: once
    long seen;         // instructions so far
    void (*act)(void); // a signal handler, itself not stepped; may fork, may jump out
    volatile int over; // set by the act: no more stepping, as in a child that it made
} step;

static inline void step_on_trap(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    (void)info;
    if (step.seen++ != step.next)
        return;
    step.next += step.every;
    step.act();
    if (step.over || !step.every)
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)STEP_TRAP_FLAG;
}

static inline void step_prepare(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_sigaction = step_on_trap;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    CHECK_CALL(sigaction(SIGTRAP, &action, NULL));
}

// The stack pointer moves past the red zone first; lea, because it leaves the flags alone.
static inline void step_on(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
                     "pushfq\n\t"
                     "orq %0, (%%rsp)\n\t"
                     "popfq\n\t"
                     "lea 128(%%rsp), %%rsp" ::"i"(STEP_TRAP_FLAG)
                     : "memory", "cc");
}

static inline void step_off(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
                     "pushfq\n\t"
                     "andq %0, (%%rsp)\n\t"
                     "popfq\n\t"
                     "lea 128(%%rsp), %%rsp" ::"i"(~STEP_TRAP_FLAG)
                     : "memory", "cc");
}

// Run body(arg) with act() called at its instruction number `at`, and after each `every` more
// unless that is 0. Returns how many instructions were stepped through.
static inline long step_run(long at, long every, void (*act)(void), void (*body)(void *), void *arg)
{
    step.next = at;
    step.every = every;
    step.seen = 0;
    step.act = act;
    step.over = 0;
    step_on();
    body(arg);
    step_off();
    return step.seen;
}

// Which instructions of a body to act at, one run for each. Every one, unless that takes more than
// `budget` steps in all (a step costs 1 to 20 us): then some, evenly spread from first to last.
struct step_plan {
    long total, samples, taken;
};

static inline struct step_plan step_plan(long total, long budget)
{
    struct step_plan plan = {total, total, 0};

    if (total > 6 && total * total / 2 > budget)
        plan.samples = 2 * budget / total > 6 ? 2 * budget / total : 6;
    return plan;
}

// The next one, or -1.
static inline long step_plan_next(struct step_plan *plan)
{
    if (plan->taken == plan->samples)
        return -1;
    return (plan->total - 1) * plan->taken++ / (plan->samples > 1 ? plan->samples - 1 : 1);
}

#endif
