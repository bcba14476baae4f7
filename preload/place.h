// SPDX-License-Identifier: MIT
// Owns the places where wanted functions were found: one for each function in each object, seen
// from outside as uncontend_root.counter[], and what came of each.
// Cost: two of its calls walk all loaded objects (refresh) or all places (the others,
// UC_COUNTER_SLOTS at most); lines are printed where something is to be said. Never on a path that
// counts.
#ifndef UC_PLACE_H
#define UC_PLACE_H

#include "replace.h"
#include "wanted.h"

struct uc_place {
    const struct uc_wanted *wanted; // NULL: unused
    uintptr_t base;                 // of the object
    bool loaded;                    // the object still is
    struct uc_replacement replacement;
};

// How an object is called: its file's name.
const char *uc_place_object_name(const struct uc_object *o);

// A place for a find: a free one, or the one that it had before its library was unloaded and loaded
// again, so that its counts go on. NULL: all are taken.
struct uc_place *uc_place_take(struct uc_wanted *w, const struct uc_object *o);

// Says, and shows to the outside, what came of it. refusal NULL: replaced. late: not at start-up.
void uc_place_settle(const struct uc_place *p, const char *refusal, int error, bool late);

// True when this find was settled, and its object has been loaded ever since.
bool uc_place_is_settled(const struct uc_wanted *w, const struct uc_object *o);

// Before a later search: forgets objects that were unloaded, even if others are where they were.
void uc_place_refresh(void);

// Where the stub of this place counts.
struct uc_stub_count uc_place_count(const struct uc_place *p);

// How many are replaced, how many were found and left alone.
void uc_place_tally(size_t *active, size_t *refused);

#endif
