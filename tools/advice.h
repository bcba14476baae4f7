// SPDX-License-Identifier: MIT
// Owns the doctor's advice: which settings are worth another value than the default, and why.
// Cost: a few files of /proc when there is a process; what the program imports is known by then.
#ifndef UC_ADVICE_H
#define UC_ADVICE_H

#include <sys/types.h>

#include "imports.h"

// pid 0: of a command that does not run yet.
// loaded: the library is in it, and active.
void uc_advice_print(const struct uc_imports *m, pid_t pid, bool loaded);

#endif
