// SPDX-License-Identifier: MIT
// Owns the one signal that asks for a dump, and keeps it the program's: the program sets, sees and
// gets its own disposition. The kernel holds the only truth: it is given one of our entry points,
// each of which stands for one of the program's handlers for good. So no table can disagree with
// the kernel, whatever interrupts, forks or races, and libc's functions that go around us
// (siginterrupt, posix_spawn, sigvec) find flags and masks where they expect them.
// Cost: for other signals one comparison in sigaction and its relatives. For this one a search
// through at most 64 handlers and the same system call as libc's; at the signal what a dump costs
// (report.h), then one call.
#ifndef UC_SIGSHIM_H
#define UC_SIGSHIM_H

#include <signal.h>

#include "options.h"
#include "stats_abi.h"

// Once, at start-up. Installs the dump where the program has no handler yet.
void uc_signal_start(const struct uc_options *o, struct uc_state *s);

// The signal's number; 0: none, nothing is touched.
extern int uc_signal_number __attribute__((visibility("hidden")));

static inline bool uc_signal_ours(int number)
{
    return uc_unlikely(number == uc_signal_number) && number > 0;
}

// What the kernel gets where the program asks for handler, and what the program sees where the
// kernel has handler. SIG_IGN, SIG_HOLD and SIG_ERR stay what they are. Async-signal-safe.
sighandler_t uc_signal_in(sighandler_t handler);
sighandler_t uc_signal_out(sighandler_t handler);

// sigaction(2) of our signal.
int uc_signal_action(int number, const struct sigaction *wanted, struct sigaction *was);

// sigaction(2) where libc's cannot be reached yet. Sets no errno; -1 for any error.
int uc_signal_early(int number, const struct sigaction *wanted, struct sigaction *was);

#endif
