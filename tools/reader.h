// SPDX-License-Identifier: MIT
// Owns the search for functions that load a value, then lock and unlock for nothing: what is left
// of a counter's reader when the compiler may load before it locks. Harmless, and left alone.
// Cost: one pass over the code of each function that is short enough.
#ifndef UC_READER_H
#define UC_READER_H

#include "locate.h"

typedef void uc_reader_fn(void *context, const char *name);

// Calls fn for each such function that a symbol table names.
void uc_reader_each(const struct uc_tables *t, uc_reader_fn *fn, void *context);

#endif
