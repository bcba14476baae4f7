// SPDX-License-Identifier: MIT
// Owns the dump of the statistics from inside the program: what is summed, where it is written. It
// opens a file for the dump alone, and ends nothing whatever goes wrong.
// Cost: between dumps nothing. A dump is a pass over all records and some ten system calls, with
// all signals blocked in its thread; 106 KiB of static memory.
#ifndef UC_REPORT_H
#define UC_REPORT_H

#include "options.h"
#include "render.h"

// Once, at start-up.
void uc_report_start(const struct uc_options *o);

// All of this process's sums, from its own memory.
void uc_report_collect(struct uc_view *v);

// Writes one dump, to DUMP_FILE or to stderr. Async-signal-safe; errno is untouched, and signals
// that a failed write raises are swallowed. A second dump that starts while one is being written
// is left out. What goes wrong is said once.
void uc_report_dump(void);
// The same for a signal that the program uses itself, unless there were many of them lately.
void uc_report_dump_beside_program(void);

// From now on nothing is dumped, whoever asks: the program's own system call filter may not allow
// what a dump needs.
void uc_report_forbid(void);

// The dump file's name: %p pid, %e program, %% a percent sign, in pattern. False: does not fit.
bool uc_report_name(const char *pattern, const struct uc_root *root, struct uc_text *out);

#endif
