// SPDX-License-Identifier: MIT
// Owns the few instructions that compilers count with. All others only make what registers hold
// unknown.
#include "field.h"

#include <string.h>

#include "poison.h"

// rax, rcx, rdx, rsi, rdi, r8 to r11: a call may change them.
enum { CALL_CLOBBERED = 0x0fc7, RAX = 0, RDX = 2 };

static void forget(struct uc_field *f, unsigned mask)
{
    for (unsigned r = 0; r < UC_FIELD_REGISTERS; r++) {
        if (mask >> r & 1)
            f->registers[r] = (struct uc_field_value){.kind = UC_VALUE_UNKNOWN};
    }
}

// An instruction that is narrower than the counter leaves less than the counter, or a sum that
// wraps elsewhere.
static void forget_cut(struct uc_field *f, const struct uc_insn *i, unsigned reg)
{
    const struct uc_field_value *v = &f->registers[reg];
    bool counted = v->kind == UC_VALUE_COUNTER || v->kind == UC_VALUE_SUM;
    if (counted && i->width < f->action->width)
        forget(f, 1U << reg);
}

static bool on_stack(const struct uc_insn *i)
{
    return i->base == UC_INSN_RSP || (i->base == UC_INSN_RBP && i->displacement < 0);
}

static bool is_other_argument(const struct uc_field *f, struct uc_field_value v)
{
    return v.kind == UC_VALUE_ARGUMENT && v.step != f->action->address;
}

// The memory operand is the counter: at the action's offset, or at an address made with it before.
static bool is_counter(const struct uc_field *f, const struct uc_insn *i)
{
    if (!i->memory || i->refers || on_stack(i) || i->index != UC_INSN_NO_BASE)
        return false;
    struct uc_field_value base = {0};
    if (i->base < UC_FIELD_REGISTERS)
        base = f->registers[i->base];
    bool made = base.kind == UC_VALUE_ADDRESS;
    // What is known to be something else than the action's address is not the counter's object.
    if (base.kind == UC_VALUE_LOADED || is_other_argument(f, base))
        return false;
    return f->any_offset || i->displacement == (made ? 0 : f->action->offset);
}

static struct uc_field_value sum_of(struct uc_field_value v, struct uc_field_value by)
{
    if (v.kind != UC_VALUE_COUNTER)
        return (struct uc_field_value){.kind = UC_VALUE_UNKNOWN};
    by.kind = UC_VALUE_SUM;
    return by;
}

static enum uc_effect judge(const struct uc_field *f, struct uc_field_value sum, unsigned width)
{
    const struct uc_action *a = f->action;
    bool negative = a->operation == UC_SUB;
    if (sum.kind != UC_VALUE_SUM)
        return UC_EFFECT_SETS;
    if (a->operation == UC_LOAD || width != a->width || sum.variable != a->amount_is_argument)
        return UC_EFFECT_WRONG;
    bool right = sum.variable ? sum.negative == negative && sum.step == 0
                              : sum.step == (negative ? -(int64_t)a->amount : a->amount);
    return right ? UC_EFFECT_ADDS : UC_EFFECT_WRONG;
}

// add, sub, inc, dec with a constant: what it adds, as a sum. kind UNKNOWN: another instruction.
static struct uc_field_value constant_step(const struct uc_insn *i)
{
    unsigned group = i->reg & 7;
    struct uc_field_value v = {.kind = UC_VALUE_SUM};
    if ((i->opcode == 0x83 || i->opcode == 0x81) && (group == 0 || group == 5))
        v.step = group == 0 ? i->immediate : -i->immediate;
    else if (i->opcode == 0xff && group < 2)
        v.step = group == 0 ? 1 : -1;
    else
        v.kind = UC_VALUE_UNKNOWN;
    return v;
}

static bool compares(const struct uc_insn *i)
{
    unsigned o = i->opcode;
    return (o >= 0x38 && o <= 0x3b) || o == 0x84 || o == 0x85 ||
           ((o == 0x80 || o == 0x81 || o == 0x83) && (i->reg & 7) == 7) ||
           ((o == 0xf6 || o == 0xf7) && (i->reg & 7) < 2);
}

// A sum with what this register holds; its step is not 0 when that is another argument than the
// action's amount.
static struct uc_field_value by_register(const struct uc_field *f, unsigned reg, bool negative)
{
    struct uc_field_value v = f->registers[reg];
    return (struct uc_field_value){
        .kind = UC_VALUE_SUM,
        .variable = true,
        .negative = negative,
        .step = v.kind == UC_VALUE_ARGUMENT && v.step != f->action->amount,
    };
}

static enum uc_effect with_counter(struct uc_field *f, const struct uc_insn *i)
{
    struct uc_field_value *reg = &f->registers[i->reg];
    struct uc_field_value step = constant_step(i);
    if (step.kind == UC_VALUE_SUM)
        return judge(f, step, i->width);
    switch (i->opcode) {
    case 0x01:
        return judge(f, by_register(f, i->reg, false), i->width);
    case 0x29:
        return judge(f, by_register(f, i->reg, true), i->width);
    case 0x89:
        return judge(f, *reg, i->width);
    case 0x8b:
        *reg = (struct uc_field_value){.kind = UC_VALUE_COUNTER, .age = f->age};
        forget_cut(f, i, i->reg);
        return UC_EFFECT_LOADS;
    case 0x63: // widened: no longer the same number of bits
        forget(f, 1U << i->reg);
        return UC_EFFECT_LOADS;
    case 0x03:
        *reg = by_register(f, i->reg, false);
        forget_cut(f, i, i->reg);
        return UC_EFFECT_LOADS;
    case 0x8d:
        *reg = (struct uc_field_value){.kind = UC_VALUE_ADDRESS};
        return UC_EFFECT_NONE;
    default:
        if (compares(i))
            return UC_EFFECT_NONE;
        forget(f, 1U << i->reg);
        return uc_insn_writes_memory(i) ? UC_EFFECT_SETS : UC_EFFECT_NONE;
    }
}

static struct uc_field_value address_sum(const struct uc_field *f, const struct uc_insn *i)
{
    struct uc_field_value none = {.kind = UC_VALUE_UNKNOWN};
    struct uc_field_value base = i->base < UC_FIELD_REGISTERS ? f->registers[i->base] : none;
    struct uc_field_value index = i->index < UC_FIELD_REGISTERS ? f->registers[i->index] : none;
    if (i->index == UC_INSN_NO_BASE)
        return sum_of(base, (struct uc_field_value){.step = i->displacement});
    if (i->displacement != 0)
        return none;
    if (i->base >= UC_FIELD_REGISTERS)
        return none;
    return base.kind == UC_VALUE_COUNTER ? sum_of(base, by_register(f, i->index, false))
                                         : sum_of(index, by_register(f, i->base, false));
}

// Destination and source are registers.
static void add_registers(struct uc_field *f, unsigned to, unsigned from, bool negative)
{
    struct uc_field_value *r = f->registers;
    if (!negative && r[from].kind == UC_VALUE_COUNTER)
        r[to] = sum_of(r[from], by_register(f, to, false));
    else
        r[to] = sum_of(r[to], by_register(f, from, negative));
}

static void among_registers(struct uc_field *f, const struct uc_insn *i)
{
    struct uc_field_value *r = f->registers;
    struct uc_field_value step = constant_step(i);
    if (step.kind == UC_VALUE_SUM) {
        bool perhaps = r[i->rm].kind == UC_VALUE_UNKNOWN || r[i->rm].kind == UC_VALUE_ARGUMENT;
        bool address = perhaps && !is_other_argument(f, r[i->rm]) && step.step == f->action->offset;
        r[i->rm] =
            address ? (struct uc_field_value){.kind = UC_VALUE_ADDRESS} : sum_of(r[i->rm], step);
        forget_cut(f, i, i->rm);
        return;
    }
    switch (i->opcode) {
    case 0x89:
        r[i->rm] = r[i->reg];
        forget_cut(f, i, i->rm);
        return;
    case 0x8b:
        r[i->reg] = r[i->rm];
        forget_cut(f, i, i->reg);
        return;
    case 0x01:
    case 0x29:
        add_registers(f, i->rm, i->reg, i->opcode == 0x29);
        forget_cut(f, i, i->rm);
        return;
    case 0x03:
    case 0x2b:
        add_registers(f, i->reg, i->rm, i->opcode == 0x2b);
        forget_cut(f, i, i->reg);
        return;
    default:
        if (!compares(i))
            forget(f, 1U << i->reg | 1U << i->rm);
    }
}

// Memory that is not the counter: an argument kept on the stack may be the amount.
static void with_other_memory(struct uc_field *f, const struct uc_insn *i)
{
    struct uc_field_value *r = f->registers;
    if (i->opcode == 0x8d)
        r[i->reg] = address_sum(f, i);
    else if (i->opcode == 0x03 || i->opcode == 0x2b)
        r[i->reg] = sum_of(
            r[i->reg], (struct uc_field_value){.variable = true, .negative = i->opcode == 0x2b});
    else if (i->opcode == 0x8b && !on_stack(i))
        r[i->reg] = (struct uc_field_value){.kind = UC_VALUE_LOADED};
    else if (i->opcode != 0x89 && !compares(i))
        forget(f, 1U << i->reg);
    if (i->opcode != 0x89 && !compares(i))
        forget_cut(f, i, i->reg);
}

// Instructions without a ModRM byte.
static void implicit(struct uc_field *f, const struct uc_insn *i)
{
    unsigned o = i->opcode;
    struct uc_field_value *r = f->registers;
    if (o == 0x05 || o == 0x2d) {
        r[RAX] = sum_of(r[RAX],
                        (struct uc_field_value){.step = o == 0x05 ? i->immediate : -i->immediate});
        forget_cut(f, i, RAX);
    } else if (o == 0x99)
        forget(f, 1U << RDX);
    else if ((o >= 0x58 && o <= 0x5f) || (o >= 0xb8 && o <= 0xbf))
        forget(f, 1U << (o & 7) | 1U << ((o & 7) + 8));
    else if (i->kind == UC_INSN_PLAIN && !(o >= 0x50 && o <= 0x57) && o != 0x90 && o != 0xa8 &&
             o != 0xa9 && o != 0x3d && o != 0x68 && o != 0x6a && o != 0xc9)
        forget(f, ~0U);
}

static bool is_group(const struct uc_insn *i)
{
    static const uint8_t opcodes[] = {0x80, 0x81, 0x83, 0x8f, 0xc0, 0xc1, 0xc6, 0xc7,
                                      0xd0, 0xd1, 0xd2, 0xd3, 0xf6, 0xf7, 0xfe, 0xff};
    return memchr(opcodes, i->opcode, sizeof opcodes) != NULL;
}

// Perhaps: more instructions are said to than do.
static bool sets_rax(const struct uc_insn *i)
{
    unsigned o = i->opcode;
    bool one_byte = i->map == UC_INSN_ONE_BYTE;
    if (!i->modrm)
        return !(one_byte && ((o >= 0x50 && o <= 0x5f && o != 0x58) || o == 0x90 || o == 0x99 ||
                              o == 0xa8 || o == 0xa9 || o == 0x3c || o == 0x3d || o == 0x68 ||
                              o == 0x6a || o == 0xc9 || (o > 0xb8 && o <= 0xbf))) &&
               i->kind == UC_INSN_PLAIN;
    if ((one_byte && compares(i)) || (i->map == UC_INSN_0F && o >= 0x18 && o <= 0x1f))
        return false;
    bool wide = one_byte && (o == 0xf6 || o == 0xf7) && (i->reg & 7) >= 4; // mul, div
    bool to_rm = one_byte && (is_group(i) || o == 0x88 || o == 0x89 || (o < 0x40 && (o & 7) < 2));
    bool to_reg = !one_byte || !to_rm;
    return wide || (to_reg && i->reg == RAX) || (!i->memory && i->rm == RAX);
}

static enum uc_result result_in_rax(const struct uc_field *f)
{
    struct uc_field_value v = f->registers[RAX];
    if (v.kind == UC_VALUE_COUNTER)
        return v.age;
    bool sum = v.kind == UC_VALUE_SUM && judge(f, v, f->action->width) == UC_EFFECT_ADDS;
    return sum ? UC_RESULT_NEW : UC_RESULT_OTHER;
}

static enum uc_effect follow(struct uc_field *f, const struct uc_insn *i)
{
    enum uc_effect effect = UC_EFFECT_NONE;
    if (i->map == UC_INSN_ONE_BYTE && is_counter(f, i) && !i->lock)
        effect = with_counter(f, i);
    else if (i->map == UC_INSN_ONE_BYTE && i->modrm && i->memory)
        with_other_memory(f, i);
    else if (i->map == UC_INSN_ONE_BYTE && i->modrm)
        among_registers(f, i);
    else if (i->map == UC_INSN_ONE_BYTE)
        implicit(f, i);
    else if (i->kind == UC_INSN_BRANCH) // a far one: no register changes
        effect = UC_EFFECT_NONE;
    else if (i->map == UC_INSN_VECTOR || !i->modrm) // blsr, rdtsc: not what ModRM names
        forget(f, ~0U);
    else
        forget(f, 1U << i->reg | (i->memory ? 0 : 1U << i->rm));
    if (effect == UC_EFFECT_NONE && uc_insn_writes_memory(i) && !on_stack(i))
        effect = UC_EFFECT_OTHER;
    return effect;
}

void uc_field_enter(struct uc_field *f)
{
    for (int n = 0; n < UC_INSN_ARGUMENTS; n++)
        f->registers[uc_insn_argument[n]] =
            (struct uc_field_value){.kind = UC_VALUE_ARGUMENT, .step = n};
}

enum uc_effect uc_field_step(struct uc_field *f, const struct uc_insn *i, bool joined)
{
    if (joined) {
        forget(f, ~0U);
        f->age = UC_RESULT_OTHER;
    }
    f->offset_seen |= (i->memory && !i->refers && i->displacement == f->action->offset) ||
                      i->immediate == f->action->offset;
    f->result = UC_RESULT_NOTHING;
    if (i->kind == UC_INSN_CALL) {
        forget(f, CALL_CLOBBERED);
        return UC_EFFECT_NONE;
    }
    enum uc_effect effect = follow(f, i);
    if (effect == UC_EFFECT_ADDS)
        f->age = UC_RESULT_NEW;
    f->result = sets_rax(i) ? result_in_rax(f) : UC_RESULT_KEPT;
    return effect;
}
