// SPDX-License-Identifier: MIT
// Owns the names of addresses in another process: the object that is mapped there and the function
// or variable in it, by the object's file, if that is still the one which was loaded, and its debug
// file. Only reads.
// Cost: what maps.h says, at the first row that has no name. An object's file is opened once for
// all rows, its symbol table read once for each name, and a caller that writes costs what
// candidate.h says.
#ifndef UC_WHERE_H
#define UC_WHERE_H

#include <sys/types.h>

#include "render.h"

// Fills in lock_name, caller_name and, where the caller looks like a counter, spec, of those rows
// that have no caller_name yet. What cannot be named gets its address.
void uc_where_name(pid_t pid, struct uc_hot_row *rows, size_t count);

#endif
