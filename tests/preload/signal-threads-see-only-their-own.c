// SPDX-License-Identifier: MIT
// claim: threads that set the signal's handler while it arrives see only handlers that the program
// set, and each signal reaches one of them
// run: UNCONTEND_SIGNAL=none
#include "lib/dump.h"
#include <stdbool.h>

enum { SETTERS = 3 };

static _Atomic(long) handled;
static _Atomic(int) done;

static void one(int number)
{
    (void)number;
    handled++;
}

static void two(int number, siginfo_t *info, void *context)
{
    (void)context;
    CHECK(info && info->si_signo == number, "no information, although it was asked for");
    handled++;
}

static void *setter(void *turn)
{
    struct sigaction mine, old;
    sigset_t only;

    // The signals go to the main thread, so that each can be waited for.
    sigemptyset(&only);
    sigaddset(&only, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &only, NULL);
    memset(&mine, 0, sizeof(mine));
    for (long i = (long)turn; !done; i++) {
        bool info = i % 2;

        mine.sa_flags = info ? SA_SIGINFO : 0;
        if (info)
            mine.sa_sigaction = two;
        else
            mine.sa_handler = one;
        CHECK_CALL(sigaction(SIGUSR1, &mine, &old));
        if (old.sa_flags & SA_SIGINFO)
            CHECK(old.sa_sigaction == two, "flags of two with %p",
                  (void *)(uintptr_t)old.sa_handler);
        else
            CHECK(old.sa_handler == one, "flags of one with %p", (void *)(uintptr_t)old.sa_handler);
    }
    return NULL;
}

static int run(void)
{
    pthread_t threads[SETTERS];
    long signals = check_count(5000, 500000);

    check_deadline(25);
    signal(SIGUSR1, one);
    for (long i = 0; i < SETTERS; i++)
        threads[i] = check_thread(setter, (void *)i);
    for (long i = 1; i <= signals; i++) {
        raise(SIGUSR1);
        CHECK_IS(handled, i);
    }
    CHECK_IS(dump_count_all(), signals);
    done = 1;
    for (int i = 0; i < SETTERS; i++)
        check_join(threads[i]);
    return CHECK_PASS;
}

int main(int argc, char **argv)
{
    return dump_main(argc, argv, run);
}
