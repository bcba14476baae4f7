// SPDX-License-Identifier: MIT
// A library that sets signal handlers from the resolver of an indirect function: while it is being
// relocated, which is before the library in front of it has been.
#include <signal.h>
#include <stddef.h>

int early_value(void);
int early_signal(void);

static volatile sig_atomic_t got;

static void on_signal(int number)
{
    got = number;
}

static int all_set(void)
{
    return 1;
}

static int some_failed(void)
{
    return 2;
}

__attribute__((used)) static int (*choose(void))(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_NODEFER};
    struct sigaction was;

    sigaddset(&action.sa_mask, SIGHUP);
    if (sigaction(SIGUSR1, &action, &was) < 0 || was.sa_handler != SIG_DFL)
        return some_failed;
    if (signal(SIGUSR2, on_signal) != SIG_DFL || signal(SIGUSR2, on_signal) != on_signal)
        return some_failed;
    return all_set;
}

static int chosen(void) __attribute__((ifunc("choose")));

// 1: every call in the resolver gave what it should.
int early_value(void)
{
    return chosen();
}

int early_signal(void)
{
    return got;
}
