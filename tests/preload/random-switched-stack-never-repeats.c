// SPDX-License-Identifier: MIT
// A thread runs two stacks and switches between them in a signal handler, as a scheduler of its own
// would: each is stopped at one instruction of a draw, for many pairs of instructions, and the one
// that was stopped first goes on first.
// claim: draws of two stacks of one thread, which interrupt each other in any way, never repeat
// run: UNCONTEND_RANDOM=drbg
// old-kernel: none, random numbers are libc's there
// time: 60
#include "lib/step.h"

#include <stdbool.h>
#include <sys/random.h>

enum { BYTES = 16, STACK = 64 * 1024, MOST_PAIRS = 1000 };

static struct stack {
    ucontext_t context;
    uint8_t drawn[BYTES];
    long stop; // instruction of a draw
    long steps;
    bool done;
} stacks[2];
static int running;

static void switch_over(void)
{
    int from = running;

    running = !from;
    CHECK_CALL(swapcontext(&stacks[from].context, &stacks[!from].context));
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    struct stack *s = &stacks[running];
    (void)number;
    (void)info;

    if (s->steps++ != s->stop)
        return;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)STEP_TRAP_FLAG;
    switch_over();
}

static void draw(struct stack *s)
{
    s->steps = 0;
    s->done = false;
    step_on();
    ssize_t n = getrandom(s->drawn, BYTES, 0);
    step_off();
    s->done = true;
    CHECK_IS(n, BYTES);
}

static void run_second(void)
{
    for (;;) {
        draw(&stacks[1]);
        switch_over();
    }
}

static void draw_both(void)
{
    stacks[1].done = false;
    draw(&stacks[0]);
    while (!stacks[1].done)
        switch_over();
    for (int i = 0; i + 8 <= BYTES; i += 8) {
        static const uint8_t zeros[8];

        CHECK(memcmp(stacks[0].drawn + i, stacks[1].drawn + i, 8) != 0 &&
                  memcmp(stacks[0].drawn + i, zeros, 8) != 0 &&
                  memcmp(stacks[1].drawn + i, zeros, 8) != 0,
              "stopped after instructions %ld and %ld: repeated, or nothing drawn", stacks[0].stop,
              stacks[1].stop);
    }
}

static void try_pairs(long length)
{
    long stride = 1;

    while (length * (length / stride) > MOST_PAIRS)
        stride++;
    for (stacks[0].stop = 0; stacks[0].stop < length; stacks[0].stop++)
        for (stacks[1].stop = 0; stacks[1].stop < length; stacks[1].stop += stride)
            draw_both();
}

int main(void)
{
    struct sigaction action;

    check_deadline(50);
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO;
    CHECK_CALL(sigaction(SIGTRAP, &action, NULL));
    CHECK_CALL(getcontext(&stacks[1].context));
    stacks[1].context.uc_stack.ss_sp = check_shared(STACK);
    stacks[1].context.uc_stack.ss_size = STACK;
    makecontext(&stacks[1].context, run_second, 0);
    stacks[0].stop = stacks[1].stop = 1000000;
    draw_both(); // the thread's first draw is longer
    draw_both();
    try_pairs(stacks[0].steps);
    return CHECK_PASS;
}
