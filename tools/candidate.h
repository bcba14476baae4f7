// SPDX-License-Identifier: MIT
// Owns the guess that a function is a counter, and the SPEC that says so. The guess is made from
// the function's code, and passes the very proof that the library will ask for.
// Cost: a look-up of the name, and at most 28 proofs (judge.h), each with a search through the
// object's code.
#ifndef UC_CANDIDATE_H
#define UC_CANDIDATE_H

#include <stdbool.h>

#include "subject.h"
#include "text.h"

// True, and the SPEC added to *spec: the function can be replaced so. False: it does something
// else, or cannot be named, or it cannot be told which argument the counter belongs to.
bool uc_candidate_spec(struct uc_subject *s, const struct uc_elf_symbol *function,
                       struct uc_text *spec);

#endif
