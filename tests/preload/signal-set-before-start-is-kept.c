// SPDX-License-Identifier: MIT
// claim: handlers that were set before the library started work and are seen as they were set
// run: UNCONTEND_SIGNAL=USR1
// run: UNCONTEND_SIGNAL=none
// run: UNCONTEND_DISABLE=on
#include "lib/dump.h"

static volatile sig_atomic_t calls;

static void on_signal(int number)
{
    (void)number;
    calls++;
}

static void early(int argc, char **argv, char **environment)
{
    struct sigaction action;

    (void)argc;
    (void)argv;
    (void)environment;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    action.sa_flags = SA_NODEFER;
    sigaddset(&action.sa_mask, SIGUSR2);
    if (sigaction(SIGUSR1, &action, NULL) < 0 || signal(SIGUSR2, on_signal) != SIG_DFL)
        calls = 1000;
}

__attribute__((section(".preinit_array"), used)) static void (*const before_all)(int, char **,
                                                                                 char **) = early;

int main(void)
{
    struct sigaction now;
    int dumps = strcmp(getenv("UNCONTEND_SIGNAL") ?: "none", "USR1") == 0;

    check_deadline(20);
    CHECK_IS(calls, 0);
    CHECK_CALL(sigaction(SIGUSR1, NULL, &now));
    CHECK(now.sa_handler == on_signal && (now.sa_flags & SA_NODEFER) &&
              sigismember(&now.sa_mask, SIGUSR2),
          "handler %p, flags %x", (void *)(uintptr_t)now.sa_handler, (unsigned)now.sa_flags);
    raise(SIGUSR1);
    CHECK_IS(calls, 1);
    CHECK_IS(dump_count(), dumps);
    raise(SIGUSR2);
    CHECK_IS(calls, 2);
    return CHECK_PASS;
}
