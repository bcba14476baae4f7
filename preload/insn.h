// SPDX-License-Identifier: MIT
// Owns the reading of x86-64 instructions: how long one is, and the little that a proof needs to
// know of what it does. What it does not know it refuses; the CPU is never asked. Reads bytes
// alone.
// Cost: one pass over at most UC_INSN_LONGEST bytes, by tables; no memory, no call.
#ifndef UC_INSN_H
#define UC_INSN_H

#include <stdbool.h>

#include "compiler.h"

enum { UC_INSN_LONGEST = 15, UC_INSN_RSP = 4, UC_INSN_RBP = 5, UC_INSN_NO_BASE = 16 };

// The registers that arguments are passed in, in the numbering of the ModRM byte: rdi, rsi, rdx,
// rcx, r8, r9.
enum { UC_INSN_ARGUMENTS = 6 };
extern const uint8_t uc_insn_argument[UC_INSN_ARGUMENTS] __attribute__((visibility("hidden")));

enum uc_insn_kind {
    UC_INSN_PLAIN,  // goes on with the next instruction
    UC_INSN_CALL,   // direct, or through memory or a register
    UC_INSN_JUMP,   // direct, or through a slot at a fixed address: refers says where
    UC_INSN_BRANCH, // conditional
    UC_INSN_RETURN,
    UC_INSN_INDIRECT, // a jump whose target is computed
    UC_INSN_TRAP,
};

enum uc_insn_map { UC_INSN_ONE_BYTE, UC_INSN_0F, UC_INSN_0F38, UC_INSN_0F3A, UC_INSN_VECTOR };

struct uc_insn {
    uint8_t length;
    uint8_t kind;   // enum uc_insn_kind
    uint8_t map;    // enum uc_insn_map
    uint8_t opcode; // in its map
    uint8_t reg;    // the ModRM byte's middle field, REX included: register, or part of the opcode
    uint8_t width;  // of the operands of the common integer instructions: 2, 4 or 8
    uint8_t rm;     // the register in ModRM's lower field, REX included; of no meaning with memory
    uint8_t base;   // of a memory operand's address: a register, or UC_INSN_NO_BASE
    uint8_t index;  // the same
    bool modrm;
    bool memory; // a memory operand
    bool lock;   // a lock prefix
    bool refers; // reference is valid: the target of a relative branch, or a [rip + n] operand
    int32_t displacement; // of the memory operand; 0 when it has none or is [rip + n]
    int64_t reference;    // counted from the instruction's first byte
    int64_t immediate;    // sign-extended; 0 when there is none
};

// The instruction at code, of which `room` bytes may be read. 0; -ENODATA: it does not end within
// room; -EILSEQ: not an instruction, or one that is not known here.
int uc_insn_decode(const uint8_t *code, size_t room, struct uc_insn *insn);

// True for instructions that change memory, other than by a push or a call. Vector instructions
// count as such when they have a memory operand.
bool uc_insn_writes_memory(const struct uc_insn *insn);

// True for endbr64.
bool uc_insn_is_endbr(const uint8_t *code, size_t room);

#endif
