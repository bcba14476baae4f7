// SPDX-License-Identifier: MIT
// Owns the time that passes, as the kernel has it. Must not ask libc's clock_gettime: it may be
// another preload's, with a time of its own, or one that stands still.
// Cost: a call into the vDSO.
#ifndef UC_NOW_H
#define UC_NOW_H

#include <stdint.h>

// Once, at start-up. Before it, and without a vDSO, uc_now is a system call.
void uc_now_start(void);

// CLOCK_MONOTONIC in nanoseconds; 0 when the kernel refuses to tell. Async-signal-safe.
uint64_t uc_now(void);

#endif
