// SPDX-License-Identifier: MIT
// Owns what `uncontend run` tells the library about counters: where those functions are whose
// symbols the library itself cannot read (mini debug info), by a rewritten UNCONTEND_COUNTERS.
// Cost: the program's file is mapped. Where it is worth it the dynamic linker is run once, for its
// list, and each file that a SPEC means is read; else nothing more.
#ifndef UC_HANDOVER_H
#define UC_HANDOVER_H

// For the program at path, which this dynamic linker loads. Changes the environment, or leaves it
// as it is.
void uc_handover_counters(const char *path, const char *linker);

#endif
