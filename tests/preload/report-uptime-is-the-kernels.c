// SPDX-License-Identifier: MIT
// claim: how long the library runs is told by the kernel's clock, whatever clock the program is given
// run: UNCONTEND_RANDOM=auto
// run: UNCONTEND_RANDOM=auto with=false-clock
// run: UNCONTEND_RANDOM=auto with=false-clock,no-vdso
#include "lib/dump.h"

#include <sys/syscall.h>
#include <time.h>

int main(void)
{
    struct timespec now;
    uint64_t at;

    CHECK_CALL(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now));
    at = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
    CHECK(dump_root()->started <= at && at - dump_root()->started < 60 * UINT64_C(1000000000),
          "the kernel's clock shows %lu ns, the start was at %lu", at, dump_root()->started);
    return CHECK_PASS;
}
