// SPDX-License-Identifier: MIT
// Owns the search for a function in symbol tables: by its mangled or its written name, in the
// object's file or in its separate debug file, or at a place that was given, and the reasons why
// one that was found must be left alone for what else the tables say. Reads images alone.
// Cost: one pass over the object's symbol table for each question, and one more over its debug
// file's. No memory, no system call.
#ifndef UC_LOCATE_H
#define UC_LOCATE_H

#include "elfread.h"
#include "spec.h"

struct uc_tables {
    const struct uc_elf *file;
    const struct uc_elf *debug; // NULL: there is none, or the file has its own .symtab
};

// 0 and *s; -ENOENT: no such function; -EEXIST: there is one, *refusal says why it cannot be
// taken (at most 55 bytes).
int uc_locate(const struct uc_tables *t, const char *name, struct uc_elf_symbol *s,
              const char **refusal);

// The same for a function whose place is given. -ENOENT: this is not the build that it is in.
int uc_locate_given(const struct uc_tables *t, const char *name, const struct uc_location *l,
                    struct uc_elf_symbol *s, const char **refusal);

// True when a symbol's name begins so.
bool uc_locate_prefix(const struct uc_tables *t, const char *prefix);

// Why the first `head` bytes of a function must not be replaced, or NULL.
const char *uc_locate_company(const struct uc_tables *t, const struct uc_elf_symbol *s,
                              size_t head);

// What a call at this address reaches: a function, a stub that jumps through a slot, or, with
// through_slot, the slot itself. NULL: not to be found out.
const char *uc_locate_callee(const struct uc_tables *t, uint64_t value, bool through_slot);

#endif
