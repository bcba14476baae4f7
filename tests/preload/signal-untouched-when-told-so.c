// SPDX-License-Identifier: MIT
// claim: with UNCONTEND_SIGNAL=none, with the library off, or with another signal chosen, the
// kernel has no handler that the program did not ask for, and SIGUSR1 ends it
// run: UNCONTEND_SIGNAL=none
// run: UNCONTEND_DISABLE=on
// run: UNCONTEND_SKIP=signal-*
// run: UNCONTEND_SIGNAL=none UNCONTEND_DUMP_AT_EXIT=off
#include "lib/dump.h"

#include <sys/syscall.h>

enum { KERNEL_SET = 8, SIGNALS = 64 };

// The kernel itself is asked, because libc might not tell. Not through /proc: an emulator catches
// signals of its own.
static int caught(void)
{
    int count = 0;

    for (int number = 1; number <= SIGNALS; number++) {
        uintptr_t action[16] = {0}; // the kernel's, which begins with the handler

        CHECK_CALL(syscall(SYS_rt_sigaction, number, NULL, action, KERNEL_SET));
        count += action[0] != (uintptr_t)SIG_DFL && action[0] != (uintptr_t)SIG_IGN;
    }
    return count;
}

static int end(void *unused)
{
    (void)unused;
    raise(SIGUSR1);
    return 0;
}

int main(void)
{
    CHECK_IS(caught(), 0);
    CHECK_IS(check_in_child(end, NULL), -SIGUSR1);
    return CHECK_PASS;
}
