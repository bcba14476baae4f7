// SPDX-License-Identifier: MIT
// Owns the names of signals, and which of them a dump may hang on.
// Cost: a comparison with a table of names; no memory.
#ifndef UC_SIGNAME_H
#define UC_SIGNAME_H

#include "text.h"

// "USR1", "SIGUSR1", "RTMIN+3", "RTMAX-1", "10"; letters of either case. The number; 0 for "none";
// -EINVAL: no such signal; -EPERM: one that must not be taken (KILL and STOP cannot be caught, and
// a handler that returns from a fault, an abort or a forbidden system call would end in a loop).
int uc_signame_parse(const char *s);

// Why that was refused, for the error that it gave.
const char *uc_signame_refusal(int error);

// As a user would write it: "USR1", "RTMIN+3".
void uc_signame_show(int number, struct uc_text *out);

#endif
