// SPDX-License-Identifier: MIT
// Owns the verdict on functions that were located in one object: each is proved by itself, then all
// together. Reads bytes alone, so that the library asks it about what is loaded and the command
// about what is in a file, and both get the same answer. For one thread at a time.
// Cost: what prove.h and trace.h say, and for each function that is not trusted a search through
// its object's code. No allocation, no system call.
#ifndef UC_JUDGE_H
#define UC_JUDGE_H

#include "locate.h"
#include "prove.h"

struct uc_candidate {
    const struct uc_action *action;
    const uint8_t *code;  // the function's first byte
    const char *refusal;  // out: why it is left alone; NULL: nothing speaks against it
    struct uc_bytes text; // the segment around it, where its counter's other users are looked for
    struct uc_elf_symbol symbol;
    struct uc_suspect suspect;
    struct uc_proof proof;
    int error;    // out: the kernel's, with a refusal
    bool trusted; // known to be the only place that changes its counters
};

// One function, when the jump that is to be written has this length. NULL, or why not.
const char *uc_judge_one(const struct uc_tables *t, struct uc_candidate *c, size_t jump);

// All candidates of an object whose refusal is NULL, with a jump of this length.
void uc_judge(const struct uc_tables *t, struct uc_candidate *c, size_t count, size_t jump);

#endif
