// SPDX-License-Identifier: MIT
// Owns the doctor's answer about hidden counters, object by object.
// Cost: each file mapped once; its symbols, and its debug file's, read where a function is looked
// for, and its code for readers.
#ifndef UC_COUNTERS_H
#define UC_COUNTERS_H

#include <stdbool.h>

// setting: what UNCONTEND_COUNTERS says. Once.
void uc_counters_start(const char *setting);

// Judges one file, and remembers the answer. Files that cannot be read are left out.
void uc_counters_add(const char *path, bool program);

void uc_counters_print(void);

#endif
