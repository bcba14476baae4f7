// SPDX-License-Identifier: MIT
// Owns the one moment at which a program that is about to be confined can still be helped. Must not
// judge the filter: it may come in parts, and what it allows today the next one kills for.
#include "confined.h"

#include <stdatomic.h>
#include <sys/prctl.h>

#include "bias.h"
#include "clock.h"
#include "counter.h"
#include "report.h"
#include "sys.h"

#include "poison.h"

static void give_up(const char *why)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    // Once: with the first filter in place what this takes may be fatal itself.
    if (!atomic_flag_test_and_set_explicit(&done, memory_order_relaxed)) {
        uc_bias_forbid(why, false);
        uc_report_forbid();
        uc_counter_stop();
        uc_thread_stop_growing();
    }
}

static bool sets_strict_mode(long number, long first, long second)
{
    return (number == SYS_seccomp && first == UC_SECCOMP_SET_STRICT) ||
           (number == SYS_prctl && first == PR_SET_SECCOMP && second == UC_SECCOMP_MODE_STRICT);
}

// The strict mode does it, too.
static bool forbids_clock(long number, long first, long second)
{
    return sets_strict_mode(number, first, second) ||
           (number == SYS_prctl && first == PR_SET_TSC && second == PR_TSC_SIGSEGV);
}

// Both calls take the program of a filter third. Without one the kernel refuses, which is how
// programs ask whether it knows filters.
static bool sets_filter(long number, long first, long second, long third)
{
    return third != 0 &&
           ((number == SYS_seccomp && first == UC_SECCOMP_SET_FILTER) ||
            (number == SYS_prctl && first == PR_SET_SECCOMP && second == UC_SECCOMP_MODE_FILTER));
}

void uc_confined_notice(long number, long first, long second, long third)
{
    bool clock = forbids_clock(number, first, second);
    if (sets_filter(number, first, second, third) || sets_strict_mode(number, first, second))
        give_up("the program set up a system call filter, which may kill for membarrier");
    else if (clock)
        give_up("the program forbade itself the CPU's clock");
    if (clock)
        uc_clock_stop();
}
