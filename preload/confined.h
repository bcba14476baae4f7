// SPDX-License-Identifier: MIT
// Owns what is given up before a program shuts itself in by a system call filter.
#ifndef UC_CONFINED_H
#define UC_CONFINED_H

// Before prctl(PR_SET_SECCOMP) or seccomp(2), by any thread, any number of times: from now on no
// system call is made that libc would not make for the same function, since the filter may end
// the program for it. Reader bias ends (a revocation needs membarrier), and so do dumps (they
// need rt_sigprocmask and more); what `uncontend stat` reads from outside stays.
void uc_confined_soon(void);

// For syscall(): the same if its first two arguments say so.
void uc_confined_notice(long number, long first);

#endif
