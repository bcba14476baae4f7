// SPDX-License-Identifier: MIT
// Owns the table of hidden counter functions that are known, and how their libraries are recognised
// before anything is read from disk.
// Cost: a row is recognised by what an object imports, in memory: one pass over those names.
#ifndef UC_KNOWN_H
#define UC_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "spec.h"

enum { UC_KNOWN_NEEDS = 2 };

struct uc_known {
    const char *title;  // for people
    const char *spec;   // what a user would write
    const char *prefix; // how its symbol begins in all builds
    const char *atomic; // the symbol in builds that count atomically by themselves, or NULL
    // The object imports one of `needs`, does not import `foreign`.
    const char *needs[UC_KNOWN_NEEDS];
    const char *foreign;
    // Exported by the library for certain: makes a missing symbol table worth a word.
    const char *landmark;
    // Nobody can be in the function before the object's first pthread_rwlock_init, so it may be
    // replaced then even while threads run; and no caller has it inlined.
    bool guarded;
};

extern const struct uc_known uc_known[];
extern const size_t uc_known_count;

// Why a function of the table is left alone before its code is looked at.
extern const char uc_known_stranger[];
extern const char uc_known_hidden[];

// The row with this symbol and action, or NULL.
const struct uc_known *uc_known_as(const struct uc_spec *spec);

// Says whether an object needs this function from another one.
typedef bool uc_known_imports(const void *object, const char *name);

// True when the object is worth a search for this row.
bool uc_known_fits(const struct uc_known *k, uc_known_imports *imports, const void *object);

#endif
