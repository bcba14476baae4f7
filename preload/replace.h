// SPDX-License-Identifier: MIT
// Owns the replacing of functions in one loaded object, in three steps: each is proved by itself,
// then all together, then those that are left are written. A function that fails a step is
// unchanged.
// Cost: what judge.h says, and for each function that is replaced what patch.h says, twice. Once
// for each object.
#ifndef UC_REPLACE_H
#define UC_REPLACE_H

#include "judge.h"
#include "object.h"
#include "stub.h"

struct uc_replacement {
    uint8_t *entry; // where the jump was written; NULL: not replaced
    size_t jump_size;
    uint8_t jump[UC_STUB_FAR];
    void *page; // the stub; stays when the object is unloaded, for the next time
};

// Steps one and two, for candidates whose refusal is NULL.
void uc_replace_prove(const struct uc_object *o, const struct uc_tables *t, struct uc_candidate *c,
                      size_t count);

// Step three, for one. r->page may come from an earlier replacement with the same action and count.
void uc_replace_write(const struct uc_object *o, const struct uc_tables *t, struct uc_candidate *c,
                      const struct uc_stub_count *count, struct uc_replacement *r);

// True while the object in memory still has the jump.
bool uc_replace_stands(const struct uc_object *o, const struct uc_replacement *r);

#endif
