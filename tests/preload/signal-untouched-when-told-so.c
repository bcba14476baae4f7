// SPDX-License-Identifier: MIT
// claim: with UNCONTEND_SIGNAL=none, with the library off, or with another signal chosen, the
// kernel has no handler that the program did not ask for, and SIGUSR1 ends it
// run: UNCONTEND_SIGNAL=none
// run: UNCONTEND_DISABLE=on
// run: UNCONTEND_SKIP=signal-*
// run: UNCONTEND_SIGNAL=none UNCONTEND_DUMP_AT_EXIT=off
#include "lib/dump.h"

static uint64_t caught(void)
{
    char line[256];
    unsigned long long bits = 0;
    FILE *f = fopen("/proc/self/status", "r");

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "SigCgt: %llx", &bits) == 1)
            break;
    if (f)
        fclose(f);
    return bits;
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
