// SPDX-License-Identifier: MIT
// claim: handlers that call the one before them, as libraries install them, run once each
// run: UNCONTEND_SIGNAL=USR1
// run: UNCONTEND_SIGNAL=none
#include "lib/dump.h"

enum { CHAIN = 100 };

static struct sigaction before[3];
static volatile sig_atomic_t calls[3]; // raise() is said to call nothing of ours

static void call_before(int me, int number, siginfo_t *info, void *context)
{
    const struct sigaction *old = &before[me];

    calls[me]++;
    CHECK(calls[me] <= CHAIN, "handler %d runs without end", me);
    if (old->sa_flags & SA_SIGINFO)
        old->sa_sigaction(number, info, context);
    else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
        old->sa_handler(number);
}

static void first(int number, siginfo_t *info, void *context)
{
    call_before(0, number, info, context);
}

static void second(int number, siginfo_t *info, void *context)
{
    call_before(1, number, info, context);
}

static void third(int number)
{
    call_before(2, number, NULL, NULL);
}

int main(void)
{
    struct sigaction action;

    check_deadline(20);
    memset(&action, 0, sizeof(action));
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = first;
    CHECK_CALL(sigaction(SIGUSR1, &action, &before[0]));
    CHECK(before[0].sa_handler == SIG_DFL, "a handler before the first");
    action.sa_sigaction = second;
    CHECK_CALL(sigaction(SIGUSR1, &action, &before[1]));
    CHECK(before[1].sa_sigaction == first, "another handler than the first");
    action.sa_flags = 0;
    action.sa_handler = third;
    CHECK_CALL(sigaction(SIGUSR1, &action, &before[2]));
    CHECK(before[2].sa_sigaction == second, "another handler than the second");
    for (int i = 1; i <= CHAIN; i++) {
        raise(SIGUSR1);
        CHECK_IS(calls[0], i);
        CHECK_IS(calls[1], i);
        CHECK_IS(calls[2], i);
    }
    // And back again, as at the end of each of those libraries.
    for (int i = 2; i >= 0; i--)
        CHECK_CALL(sigaction(SIGUSR1, &before[i], &action));
    CHECK(action.sa_sigaction == first, "not the first at the end");
    CHECK_CALL(sigaction(SIGUSR1, NULL, &action));
    CHECK(action.sa_handler == SIG_DFL, "not the default at the end");
    return CHECK_PASS;
}
