// SPDX-License-Identifier: MIT
// Owns the following of one counter through straight-line code: which instruction loads it, which
// registers hold it or a sum made from it, which one stores that sum. Reads instructions, runs
// none.
// Cost: one pass, a fixed number of steps for each instruction; no memory but the caller's struct.
#ifndef UC_FIELD_H
#define UC_FIELD_H

#include "insn.h"
#include "spec.h"

enum uc_effect {
    UC_EFFECT_NONE,
    UC_EFFECT_LOADS, // reads the counter
    UC_EFFECT_ADDS,  // adds to it what the action says
    UC_EFFECT_WRONG, // adds something else
    UC_EFFECT_SETS,  // changes it without a sum
    UC_EFFECT_OTHER, // changes other memory, the stack apart
};

enum { UC_FIELD_REGISTERS = 16 };

// What an instruction leaves for the function to return.
enum uc_result {
    UC_RESULT_KEPT,    // what was there before
    UC_RESULT_NOTHING, // a callee's value, which nobody asked for
    UC_RESULT_NEW,     // the counter after the action
    UC_RESULT_OLD,     // before it
    UC_RESULT_OTHER,
};

// What a register holds, as far as the counter goes.
struct uc_field_value {
    enum {
        UC_VALUE_UNKNOWN,
        UC_VALUE_ADDRESS,
        UC_VALUE_COUNTER,
        UC_VALUE_SUM,
        UC_VALUE_ARGUMENT, // as it was passed; step is its number
        UC_VALUE_LOADED,   // from memory that is not the counter, nor the stack
    } kind;
    enum uc_result age; // of a counter: NEW, OLD, or OTHER when that is not known
    bool variable;      // a register was added, or with negative subtracted; else step was added
    bool negative;
    int64_t step;
};

struct uc_field {
    const struct uc_action *action;
    bool any_offset;       // take every field for the counter
    bool offset_seen;      // out: in an address, or as a constant
    enum uc_result result; // out: of the last instruction
    enum uc_result age;    // what a load would give; OLD at the beginning
    struct uc_field_value registers[UC_FIELD_REGISTERS];
};

// At a function's first instruction: the registers hold what is passed in them.
void uc_field_enter(struct uc_field *f);

// The next instruction. `joined`: code elsewhere jumps to it, or nothing falls through to it, so
// that what registers hold is not known.
enum uc_effect uc_field_step(struct uc_field *f, const struct uc_insn *i, bool joined);

#endif
