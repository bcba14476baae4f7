// SPDX-License-Identifier: MIT
// Owns the decision, on a function's bytes alone, whether its entry may be replaced by a jump. When
// in doubt it says no. Reads bytes, touches nothing. For one thread at a time.
// Cost: each instruction is decoded a few times, and once more for each of at most 40 states in
// which a way comes to it; what is longer than 512 bytes is refused. The search for rivals decodes
// what stands behind the calls in the text. 9 KiB of stack or static memory, no allocation.
#ifndef UC_PROVE_H
#define UC_PROVE_H

#include "spec.h"

// A function's code, and the action that is to stand in for it.
struct uc_suspect {
    const uint8_t *code;
    size_t size;
    size_t jump; // bytes of the jump that is to be written
    const struct uc_action *action;
};

enum { UC_PROVE_CALLS = 6 };

// Something outside that the function calls, or jumps to: a function, or with through_slot a slot
// that holds its address; counted from code.
struct uc_call {
    int64_t to;
    bool through_slot;
    bool dead_end; // in: does not return
};

struct uc_proof {
    const char *refusal;                  // NULL: nothing speaks against it; at most 55 bytes
    size_t entry;                         // where the jump goes: behind a leading endbr64
    struct uc_call calls[UC_PROVE_CALLS]; // in the order of the code, each once
    size_t call_count;
};

// The refusal that says that there is nothing to gain, and no more.
extern const char uc_prove_atomic[];

// The first look: is it code that can be understood, may its entry be replaced, does it do with the
// counter what the action says and nothing else with memory.
void uc_prove(const struct uc_suspect *s, struct uc_proof *p);

// The second, when the caller has marked dead ends: on each way through the function the action
// happens exactly once, and what is returned is what the action says, or nothing; and if two
// functions are called, then one before it, which is taken to lock, and the other behind it. The
// calls are brought into that order, the dead ends last.
const char *uc_prove_ways(const struct uc_suspect *s, struct uc_proof *p);

// Another place behind `from` in the text around it that takes the function's lock and then adds to
// the same field (to any, when the address is an argument alone) before it unlocks. It may be a
// caller into which the compiler inlined the function, or another function for the same counter:
// one that adds without an atomic instruction, and would lose additions to one that adds without
// the lock. NULL: no more. Only after uc_prove_ways.
const uint8_t *uc_prove_rival(const struct uc_suspect *s, struct uc_proof *p, const uint8_t *text,
                              size_t text_size, const uint8_t *from);

#endif
