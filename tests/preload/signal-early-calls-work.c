// SPDX-License-Identifier: MIT
// claim: handlers that a library sets while it is being relocated, before the one in front of it
// has been, are set, are seen, and are called
// run:
// run: UNCONTEND_SIGNAL=none
#include "lib/dump.h"

static int loaded(void)
{
    int (*value)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "early_value");
    int (*last)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "early_signal");
    struct sigaction now;

    check_deadline(10);
    CHECK(value && last, "the early library is not loaded");
    CHECK_IS(value(), 1);
    CHECK_CALL(sigaction(SIGUSR1, NULL, &now));
    CHECK(now.sa_handler != SIG_DFL && (now.sa_flags & SA_NODEFER) && sigismember(&now.sa_mask, 1),
          "handler %p, flags %x", (void *)(uintptr_t)now.sa_handler, (unsigned)now.sa_flags);
    raise(SIGUSR1);
    CHECK_IS(last(), SIGUSR1);
    CHECK_IS(dump_count(), 1);
    raise(SIGUSR2);
    CHECK_IS(last(), SIGUSR2);
    CHECK_IS(dump_count(), 1);
    return CHECK_PASS;
}

int main(int argc, char **argv)
{
    (void)argv;
    return argc > 1 ? loaded() : dump_again_with_plugin("signal-early", "UNCONTEND_SIGNAL=USR1");
}
