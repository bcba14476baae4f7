// SPDX-License-Identifier: MIT
// Owns the guest's use of the CPU's clock, which a program may forbid itself to read (PR_SET_TSC,
// or the strict mode of seccomp, which does the same): whoever reads it then dies of SIGSEGV.
// Cost: one load of a line that nobody writes, then the CPU's own instruction; no system call.
#ifndef UC_CLOCK_H
#define UC_CLOCK_H

#include <stdbool.h>

#include "compiler.h"

extern bool uc_clock_stopped __attribute__((visibility("hidden")));

// For good. The kernel forbids it to the calling thread and to those that it makes; others read on
// until they see this.
void uc_clock_stop(void);

// uc_ticks(); 0 once it was stopped.
static inline uint64_t uc_clock_now(void)
{
    return uc_unlikely(__atomic_load_n(&uc_clock_stopped, __ATOMIC_RELAXED)) ? 0 : uc_ticks();
}

// Since then; 0 when it was stopped.
static inline uint64_t uc_clock_since(uint64_t begun)
{
    uint64_t now = uc_clock_now();
    return now > begun ? now - begun : 0;
}

#endif
