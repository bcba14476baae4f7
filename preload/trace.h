// SPDX-License-Identifier: MIT
// Owns the question which argument a function's counter belongs to, and which it adds: its
// arguments are followed through its registers and its stack frame. The proof says that something
// is added to a field at an offset; in whose object that lies, it does not ask. Reads bytes,
// touches nothing. For one thread at a time.
// Cost: as a proof (prove.h): some passes over at most 512 bytes; no allocation.
#ifndef UC_TRACE_H
#define UC_TRACE_H

#include "prove.h"

enum { UC_TRACE_CONSTANTS = 6 };

// An argument's value plus a constant.
struct uc_trace_value {
    int8_t argument; // -1: not known
    bool half;       // its lower 32 bits alone
    int32_t offset;
};

struct uc_trace {
    bool lost;                   // the code does what is not followed
    struct uc_trace_value field; // where it writes
    uint8_t width;               // of that; 0: it writes nowhere
    // In a load's case, for which a place is asked: whether it is read, and another that may be
    // taken for it.
    bool reads, reads_other;
    bool amount_unclear;                   // something is added that is no argument
    struct uc_trace_value amount;          // the argument that is added
    int32_t constants[UC_TRACE_CONSTANTS]; // that are added somewhere
    size_t constant_count;
};

// Follows a function's code. Its calls' dead ends are those of the proof, when that is not NULL.
void uc_trace(struct uc_trace *t, const uint8_t *code, size_t size, const struct uc_action *wanted,
              const struct uc_proof *proof);

// The third look, after uc_prove_ways: the counter is the one that the action names, and the amount
// what it says. NULL, or why not.
const char *uc_trace_objection(const struct uc_suspect *s, const struct uc_proof *p);

#endif
