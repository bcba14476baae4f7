// SPDX-License-Identifier: MIT
// Owns what is given up before a program shuts itself in by a system call filter.
// Cost: a few comparisons of integers where nothing is confined; the one time that something is, a
// look at all places of the bias table, and a barrier if any lock had bias.
#ifndef UC_CONFINED_H
#define UC_CONFINED_H

// Of any thread's prctl() or syscall(), before it: the number of the call and its first three
// arguments. If they set up a filter, from now on no system call is made that libc would not make
// for the same function, since the filter may end the program for it. Reader bias ends (a
// revocation needs membarrier), and so do dumps (they need rt_sigprocmask and more); what
// `uncontend stat` reads from outside stays. If they forbid the CPU's clock, as the strict mode
// does, the same, and it is no longer read.
void uc_confined_notice(long number, long first, long second, long third);

#endif
