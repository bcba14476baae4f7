// SPDX-License-Identifier: MIT
// Owns the following of arguments. The code is gone through until what jumps bring along no longer
// changes; only then is what it does believed. Given up when in doubt.
#include "trace.h"

#include <string.h>

#include "insn.h"

#include "poison.h"

enum {
    LARGEST = 512,
    REGISTERS = 16,
    SLOTS = 8,
    JUMPS = 16,
    PASSES = 8,
    RAX = 0,
    RDX = 2,
    RBP = 5
};

// Opcodes of the one-byte map.
enum {
    ADD = 0x01,
    ADD_TO_REG = 0x03,
    SUB = 0x29,
    SUB_TO_REG = 0x2b,
    GROUP = 0x81,
    GROUP_SHORT = 0x83
};
enum { MOV = 0x89, MOV_TO_REG = 0x8b, LEA = 0x8d };

// What lies on the stack: size bytes at place, counted from rsp at the entry. size 0: not used.
struct slot {
    int32_t place;
    int32_t size;
    struct uc_trace_value value;
};

// What the registers, and places of the stack frame, hold.
struct state {
    bool reached;
    struct uc_trace_value at[REGISTERS];
    int32_t sp, fp; // rsp and, when framed, rbp, counted from rsp at the entry
    bool framed;
    bool broken; // ways that meet have different stacks
    struct slot slot[SLOTS];
};

struct walk {
    struct uc_trace *trace;
    const struct uc_action *wanted;
    struct state now;
    bool changed; // what a jump brings along is not what it was in the pass before
    struct {
        size_t to; // 0: not used
        struct state state;
    } jumps[JUMPS];
};

static const struct uc_trace_value unknown = {.argument = -1};

static bool equal(struct uc_trace_value a, struct uc_trace_value b)
{
    return a.argument == b.argument && a.offset == b.offset && a.half == b.half;
}

static bool is_argument(struct uc_trace_value v)
{
    return v.argument >= 0 && v.offset == 0;
}

// Leaves what is true on both ways. True when that is less than before, or the first.
static bool merge(struct state *into, const struct state *other)
{
    if (!other->reached)
        return false;
    if (!into->reached) {
        *into = *other;
        return true;
    }
    bool less = false;
    for (size_t i = 0; i < REGISTERS; i++) {
        if (equal(into->at[i], other->at[i]) || into->at[i].argument < 0)
            continue;
        into->at[i] = unknown;
        less = true;
    }
    for (size_t i = 0; i < SLOTS; i++) {
        struct slot *s = &into->slot[i];
        const struct slot *o = &other->slot[i];
        bool same = s->place == o->place && s->size == o->size && equal(s->value, o->value);
        if (same || s->size == 0)
            continue;
        s->size = 0;
        less = true;
    }
    bool broken = into->broken || into->sp != other->sp;
    bool framed = into->framed && other->framed && into->fp == other->fp;
    less = less || broken != into->broken || framed != into->framed;
    into->broken = broken;
    into->framed = framed;
    return less;
}

// Brings the state to where a jump leads. False: too many jumps, or one to the very beginning.
static bool carry(struct walk *w, size_t to)
{
    for (size_t i = 0; i < JUMPS && to > 0; i++) {
        if (w->jumps[i].to != 0 && w->jumps[i].to != to)
            continue;
        w->jumps[i].to = to;
        w->changed |= merge(&w->jumps[i].state, &w->now);
        return true;
    }
    return false;
}

static void arrive(struct walk *w, size_t at)
{
    for (size_t i = 0; i < JUMPS; i++) {
        if (w->jumps[i].to == at && at > 0)
            (void)merge(&w->now, &w->jumps[i].state);
    }
}

// True, and where: the memory operand is on the stack, at a place that is known.
static bool on_stack(const struct state *s, const struct uc_insn *i, int32_t *place)
{
    bool by_fp = i->base == RBP && s->framed;
    if (!i->memory || i->index != UC_INSN_NO_BASE || (i->base != UC_INSN_RSP && !by_fp))
        return false;
    *place = (by_fp ? s->fp : s->sp) + i->displacement;
    return true;
}

static struct uc_trace_value halved(struct uc_trace_value v)
{
    v.half = true;
    return is_argument(v) ? v : unknown;
}

static struct uc_trace_value in_slot(const struct state *s, int32_t place, int32_t size)
{
    for (size_t i = 0; i < SLOTS; i++) {
        if (s->slot[i].size >= size && s->slot[i].place == place)
            return size == 8 ? s->slot[i].value : halved(s->slot[i].value);
    }
    return unknown;
}

// Whatever lay there in part is gone.
static void keep_in_slot(struct state *s, int32_t place, int32_t size, struct uc_trace_value v)
{
    struct slot *empty = NULL;
    for (size_t i = 0; i < SLOTS; i++) {
        struct slot *o = &s->slot[i];
        if (o->place < place + size && place < o->place + o->size)
            o->size = 0;
        if (o->size == 0 && !empty)
            empty = o;
    }
    if (empty && v.argument >= 0)
        *empty = (struct slot){.place = place, .size = size, .value = v};
}

static struct uc_trace_value address_of(const struct state *s, const struct uc_insn *i)
{
    if (!i->memory || i->refers || i->index != UC_INSN_NO_BASE || i->base >= REGISTERS)
        return unknown;
    struct uc_trace_value v = s->at[i->base];
    if (v.argument < 0 || v.half)
        return unknown;
    v.offset += i->displacement;
    return v;
}

static void note_constant(struct uc_trace *t, int64_t v)
{
    v = v < 0 ? -v : v;
    if (v > 0 && v <= INT32_MAX && t->constant_count < UC_TRACE_CONSTANTS)
        t->constants[t->constant_count++] = (int32_t)v;
}

// A sum of two that are not constants: one must be the argument. What is a sum already is none.
static void note_amount(struct uc_trace *t, struct uc_trace_value a, struct uc_trace_value b)
{
    struct uc_trace_value v = is_argument(a) ? a : b;
    bool first = t->amount.argument < 0;
    t->amount_unclear |= !is_argument(v) || (!first && !equal(t->amount, v));
    t->amount = v;
}

static void note_sum(struct walk *w, const struct uc_insn *i)
{
    const struct state *s = &w->now;
    bool to_reg = i->opcode == ADD_TO_REG || i->opcode == SUB_TO_REG;
    int32_t place;
    if (i->opcode == GROUP || i->opcode == GROUP_SHORT)
        note_constant(w->trace, i->immediate);
    if (i->opcode == LEA && i->index == UC_INSN_NO_BASE)
        note_constant(w->trace, i->displacement);
    struct uc_trace_value a = s->at[i->reg];
    struct uc_trace_value b = i->memory ? unknown : s->at[i->rm];
    if (i->opcode == LEA) {
        a = i->index < REGISTERS ? s->at[i->index] : unknown;
        b = i->base < REGISTERS ? s->at[i->base] : unknown;
    } else if (on_stack(s, i, &place)) {
        b = in_slot(s, place, i->width);
    }
    if (to_reg || i->opcode == ADD || i->opcode == SUB ||
        (i->opcode == LEA && i->index != UC_INSN_NO_BASE))
        note_amount(w->trace, a, b);
}

static void note_write(struct walk *w, const struct uc_insn *i)
{
    struct uc_trace *t = w->trace;
    struct uc_trace_value to = address_of(&w->now, i);
    t->lost = t->lost || to.argument < 0 || (t->width && !equal(t->field, to));
    t->field = to;
    t->width = i->width;
}

static void note_read(struct walk *w, const struct uc_insn *i)
{
    const struct uc_action *a = w->wanted;
    if (!a || i->refers || i->opcode == LEA)
        return;
    struct uc_trace_value from = address_of(&w->now, i);
    bool it = from.argument == (int)a->address && from.offset == a->offset;
    w->trace->reads = w->trace->reads || (it && i->width == a->width);
    w->trace->reads_other =
        w->trace->reads_other ||
        (!it && (from.argument < 0 || i->displacement == a->offset || from.offset == a->offset));
}

static void note(struct walk *w, const struct uc_insn *i)
{
    int32_t unused;
    note_sum(w, i);
    if (!i->memory || on_stack(&w->now, i, &unused))
        return;
    if (uc_insn_writes_memory(i))
        note_write(w, i);
    else
        note_read(w, i);
}

static bool is_move(const struct uc_insn *i)
{
    return i->opcode == LEA || i->opcode == MOV || i->opcode == MOV_TO_REG;
}

// Only rbp may hold a place of the stack: through another somebody else might write there.
static void follow_move(struct walk *w, const struct uc_insn *i)
{
    struct state *s = &w->now;
    int32_t place = 0;
    bool stack = on_stack(s, i, &place);
    bool between = !i->memory && i->opcode != LEA;
    unsigned from = i->opcode == MOV ? i->reg : i->rm;
    unsigned to = i->opcode == MOV ? i->rm : i->reg;
    struct uc_trace_value v = unknown;
    if (i->opcode == MOV || between)
        v = i->width == 8 ? s->at[from] : i->width == 4 ? halved(s->at[from]) : unknown;
    else if (i->opcode == LEA)
        v = i->width == 8 ? address_of(s, i) : unknown;
    else if (stack && i->width >= 4)
        v = in_slot(s, place, i->width);
    if (i->memory && i->opcode == MOV) {
        if (stack)
            keep_in_slot(s, place, i->width, v);
        w->trace->lost |= s->framed && i->reg == RBP;
        w->trace->lost |= i->reg == UC_INSN_RSP;
        return;
    }
    bool sets_frame = between && to == RBP && from == UC_INSN_RSP && i->width == 8;
    bool spreads = between && (from == UC_INSN_RSP || (from == RBP && s->framed)) && !sets_frame;
    bool names = i->opcode == LEA && (i->base == UC_INSN_RSP || (i->base == RBP && s->framed));
    w->trace->lost |= spreads || names || to == UC_INSN_RSP;
    s->at[to] = v;
    if (to == RBP) {
        s->framed = sets_frame;
        s->fp = s->sp;
    }
}

// Adding to a register that holds an argument makes it an address.
static bool follow_sum(struct state *s, const struct uc_insn *i)
{
    bool group = i->opcode == GROUP || i->opcode == GROUP_SHORT;
    unsigned how = i->reg & 7;
    if (!group || i->memory || i->width != 8 || (how != 0 && how != 5))
        return false;
    int32_t by = (int32_t)(how == 0 ? i->immediate : -i->immediate);
    struct uc_trace_value *v = &s->at[i->rm];
    if (i->rm == UC_INSN_RSP)
        s->sp += by;
    else if (v->half)
        *v = unknown;
    else if (v->argument >= 0)
        v->offset += by;
    if (i->rm == RBP)
        s->framed = false;
    return true;
}

// push, pop, leave. False: rsp changes in another way.
static bool follow_stack(struct state *s, const struct uc_insn *i)
{
    unsigned o = i->opcode;
    if (i->modrm)
        return o != 0x8f && (o != 0xff || (i->reg & 7) != 6);
    if ((o >= 0x50 && o <= 0x57) || o == 0x68 || o == 0x6a) {
        s->sp -= 8;
        keep_in_slot(s, s->sp, 8, unknown);
    } else if (o >= 0x58 && o <= 0x5f) {
        s->sp += 8;
        s->framed = s->framed && o != 0x5d;
        return o != 0x5c || i->length > 1; // with a prefix it is r12
    } else if (o == 0xc9) {
        bool framed = s->framed;
        s->sp = s->fp + 8;
        s->framed = false;
        return framed;
    }
    return o != 0xc8 && o != 0x9c && o != 0x9d;
}

static bool only_looks(const struct uc_insn *i)
{
    unsigned o = i->opcode;
    return (o >= 0x38 && o <= 0x3d) || o == 0x84 || o == 0x85 || o == 0xa8 || o == 0xa9 ||
           o == 0x90 || o == 0x68 || o == 0x6a || (o >= 0x50 && o <= 0x57) ||
           ((o == 0x80 || o == GROUP || o == GROUP_SHORT) && (i->reg & 7) == 7);
}

// The middle field of the ModRM byte is a part of the opcode, not a register.
static bool is_group(const struct uc_insn *i)
{
    static const uint8_t opcodes[] = {0x80, 0x81, 0x83, 0x8f, 0xc0, 0xc1, 0xc6, 0xc7,
                                      0xd0, 0xd1, 0xd2, 0xd3, 0xf6, 0xf7, 0xfe, 0xff};
    return i->map == UC_INSN_ONE_BYTE && memchr(opcodes, i->opcode, sizeof opcodes) != NULL;
}

static void forget(struct walk *w, unsigned reg)
{
    w->now.at[reg] = unknown;
    w->now.framed = w->now.framed && reg != RBP;
    w->trace->lost |= reg == UC_INSN_RSP;
}

// An instruction of which no more is known than what it may write.
static void forget_written(struct walk *w, const struct uc_insn *i)
{
    enum { WIDEST = 16 };
    bool one_byte = i->map == UC_INSN_ONE_BYTE;
    unsigned o = i->opcode;
    bool hint = i->map == UC_INSN_0F && o >= 0x18 && o <= 0x1f; // endbr64 and nops
    if (hint || (one_byte && only_looks(i)))
        return;
    int32_t place;
    if (on_stack(&w->now, i, &place) && uc_insn_writes_memory(i))
        keep_in_slot(&w->now, place, WIDEST, unknown);
    bool products = one_byte && (o == 0xf6 || o == 0xf7);
    if (i->modrm && i->map != UC_INSN_VECTOR) {
        if (!is_group(i))
            forget(w, i->reg);
        if (!i->memory)
            forget(w, i->rm);
        if (!products)
            return;
        w->now.at[RAX] = w->now.at[RDX] = unknown;
        return;
    }
    bool one = one_byte && ((o >= 0x58 && o <= 0x5f) || (o >= 0xb8 && o <= 0xbf));
    for (unsigned r = 0; r < REGISTERS; r++) {
        if (!one || (r & 7) == (o & 7))
            w->now.at[r] = unknown;
    }
    w->now.framed = w->now.framed && !(one && (o & 7) == RBP);
}

static void follow(struct walk *w, const struct uc_insn *i)
{
    static const uint8_t clobbered[] = {0, 1, 2, 6, 7, 8, 9, 10, 11};
    bool one_byte = i->map == UC_INSN_ONE_BYTE;
    if (i->kind == UC_INSN_CALL) {
        for (size_t n = 0; n < sizeof clobbered; n++)
            w->now.at[clobbered[n]] = unknown;
        return;
    }
    if (i->kind != UC_INSN_PLAIN)
        return;
    if (!one_byte) {
        w->trace->lost |= uc_insn_writes_memory(i);
        forget_written(w, i);
        return;
    }
    note(w, i);
    if (is_move(i)) {
        follow_move(w, i);
    } else if (!follow_sum(&w->now, i)) {
        w->trace->lost |= !follow_stack(&w->now, i);
        forget_written(w, i);
    }
}

static void begin(struct walk *w)
{
    *w->trace = (struct uc_trace){.amount = unknown, .field = unknown};
    w->trace->constants[w->trace->constant_count++] = 1; // inc and dec say no number
    w->changed = false;
    w->now = (struct state){.reached = true};
    for (size_t r = 0; r < REGISTERS; r++)
        w->now.at[r] = unknown;
    for (size_t n = 0; n < UC_INSN_ARGUMENTS; n++)
        w->now.at[uc_insn_argument[n]].argument = (int8_t)n;
}

static bool is_dead_end(const struct uc_proof *p, int64_t to)
{
    for (size_t n = 0; p && n < p->call_count; n++) {
        if (p->calls[n].to == to)
            return p->calls[n].dead_end;
    }
    return false;
}

static void pass(struct walk *w, const uint8_t *code, size_t size, const struct uc_proof *proof)
{
    struct uc_trace *t = w->trace;
    struct uc_insn i;
    begin(w);
    for (size_t at = 0; at < size && !t->lost; at += i.length) {
        arrive(w, at);
        t->lost = uc_insn_decode(code + at, size - at, &i) < 0 || w->now.broken;
        if (t->lost || !w->now.reached)
            continue;
        follow(w, &i);
        int64_t to = (int64_t)at + i.reference;
        bool jumps = i.kind == UC_INSN_JUMP || i.kind == UC_INSN_BRANCH;
        if (jumps && i.refers && !i.memory && to >= 0 && to < (int64_t)size)
            t->lost |= !carry(w, (size_t)to);
        bool ends = i.kind == UC_INSN_CALL && i.refers && is_dead_end(proof, to);
        if (ends || i.kind == UC_INSN_JUMP || i.kind == UC_INSN_RETURN || i.kind == UC_INSN_TRAP)
            w->now.reached = false;
    }
}

void uc_trace(struct uc_trace *t, const uint8_t *code, size_t size, const struct uc_action *wanted,
              const struct uc_proof *proof)
{
    static struct walk w; // the caller's stack may be a small one
    memset(&w, 0, sizeof w);
    w.trace = t;
    w.wanted = wanted;
    w.changed = true;
    for (unsigned n = 0; n < PASSES && w.changed; n++)
        pass(&w, code, size, proof);
    t->lost |= w.changed || size > LARGEST;
}

const char *uc_trace_objection(const struct uc_suspect *s, const struct uc_proof *p)
{
    const struct uc_action *a = s->action;
    struct uc_trace t;
    uc_trace(&t, s->code, s->size, a, p);
    bool load = a->operation == UC_LOAD;
    if (t.lost || (load ? t.reads_other : t.width == 0))
        return "which argument the counter is in cannot be told";
    if (load ? !t.reads : t.field.argument != (int)a->address || t.field.offset != a->offset)
        return "the counter is not there, seen from that argument";
    bool right =
        !t.amount_unclear && t.amount.argument == a->amount && (a->width == 4 || !t.amount.half);
    return a->amount_is_argument && !right ? "adds something else than that argument" : NULL;
}
