// SPDX-License-Identifier: MIT
// Owns the following of arguments through a function's code, in one pass over it. The proof says
// that something is added to a field at an offset; which argument the field belongs to is found out
// here.
#include "candidate.h"

#include <string.h>

#include "insn.h"
#include "stub.h"

enum { LARGEST = 512, REGISTERS = 16, SLOTS = 8, MOST_AMOUNTS = 6, RAX = 0, RDX = 2, RBP = 5 };

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

// An argument's value plus a constant.
struct value {
    int8_t argument; // -1: not known
    int32_t offset;
};

// What the registers, and places of the stack frame, hold.
struct state {
    bool reached;
    struct value at[REGISTERS];
    int32_t sp, fp; // rsp and, when framed, rbp, counted from rsp at the entry
    bool framed;
    bool broken;          // ways that meet have different stacks
    int32_t place[SLOTS]; // of a value on the stack, counted so; 0: not used
    struct value slot[SLOTS];
};

struct walk {
    struct state now;
    struct state coming[LARGEST]; // what jumps bring along, by where they lead
    bool lost;                    // the code does what is not followed here
    struct value field;           // where it writes
    uint8_t width;
    int32_t constants[MOST_AMOUNTS]; // that it adds somewhere
    size_t constant_count;
    int8_t amount; // an argument that it adds; -1: none
};

static const struct value unknown = {.argument = -1};

static bool equal(struct value a, struct value b)
{
    return a.argument == b.argument && a.offset == b.offset;
}

// What is true on both ways.
static void merge(struct state *into, const struct state *other)
{
    if (!other->reached)
        return;
    if (!into->reached) {
        *into = *other;
        return;
    }
    for (size_t i = 0; i < REGISTERS; i++) {
        if (!equal(into->at[i], other->at[i]))
            into->at[i] = unknown;
    }
    for (size_t i = 0; i < SLOTS; i++) {
        if (into->sp != other->sp || into->place[i] != other->place[i] ||
            !equal(into->slot[i], other->slot[i]))
            into->slot[i] = unknown;
    }
    into->broken = into->broken || into->sp != other->sp;
    into->framed = into->framed && other->framed && into->fp == other->fp;
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

static struct value in_slot(const struct state *s, int32_t place)
{
    for (size_t i = 0; i < SLOTS; i++) {
        if (s->place[i] == place)
            return s->slot[i];
    }
    return unknown;
}

// Whatever lay there in part is gone.
static void keep_in_slot(struct state *s, int32_t place, struct value v)
{
    struct value *empty = NULL;
    for (size_t i = 0; i < SLOTS; i++) {
        int32_t apart = s->place[i] - place;
        if (s->place[i] != 0 && apart > -8 && apart < 8)
            s->place[i] = 0;
        if (s->place[i] == 0 && !empty) {
            empty = &s->slot[i];
            s->place[i] = place;
            s->slot[i] = v;
        }
    }
}

static struct value address_of(const struct state *s, const struct uc_insn *i)
{
    if (!i->memory || i->refers || i->index != UC_INSN_NO_BASE || i->base >= REGISTERS)
        return unknown;
    struct value v = s->at[i->base];
    if (v.argument >= 0)
        v.offset += i->displacement;
    return v;
}

static void note_constant(struct walk *w, int64_t v)
{
    v = v < 0 ? -v : v;
    if (v > 0 && v <= INT32_MAX && w->constant_count < MOST_AMOUNTS)
        w->constants[w->constant_count++] = (int32_t)v;
}

// What is added, and where it is written.
static void note_field(struct walk *w, const struct uc_insn *i)
{
    bool group = i->opcode == GROUP || i->opcode == GROUP_SHORT;
    bool from_reg = i->opcode == ADD || i->opcode == SUB;
    bool to_reg = i->opcode == ADD_TO_REG || i->opcode == SUB_TO_REG;
    if (group)
        note_constant(w, i->immediate);
    if (i->opcode == LEA)
        note_constant(w, i->displacement);
    unsigned reg = i->reg;
    if (to_reg && !i->memory)
        reg = i->rm;
    if ((from_reg || to_reg) && w->now.at[reg].argument >= 0 && w->now.at[reg].offset == 0)
        w->amount = w->now.at[reg].argument;
    int32_t unused;
    if (on_stack(&w->now, i, &unused) || !uc_insn_writes_memory(i))
        return;
    struct value to = address_of(&w->now, i);
    w->lost = w->lost || to.argument < 0 || (w->width && !equal(w->field, to));
    w->field = to;
    w->width = i->width;
}

static void follow_move(struct walk *w, const struct uc_insn *i)
{
    struct state *s = &w->now;
    bool whole = i->width == 8;
    int32_t place = 0;
    bool stack = on_stack(s, i, &place);
    if (i->opcode == LEA) {
        w->lost = w->lost || stack || i->reg == UC_INSN_RSP; // somebody else may write there
        s->at[i->reg] = whole ? address_of(s, i) : unknown;
    } else if (i->opcode == MOV && stack) {
        keep_in_slot(s, place, whole ? s->at[i->reg] : unknown);
    } else if (i->opcode == MOV && !i->memory) {
        s->at[i->rm] = whole ? s->at[i->reg] : unknown;
        if (i->rm == RBP) {
            s->framed = whole && i->reg == UC_INSN_RSP;
            s->fp = s->sp;
        }
        w->lost = w->lost || i->rm == UC_INSN_RSP;
    } else if (i->opcode == MOV_TO_REG) {
        struct value v = stack ? in_slot(s, place) : unknown;
        s->at[i->reg] = !whole ? unknown : i->memory ? v : s->at[i->rm];
    }
    if ((i->opcode == LEA || i->opcode == MOV_TO_REG) && i->reg == RBP)
        s->framed = false;
}

// Adding to a register that holds an argument makes it an address.
static bool follow_sum(struct state *s, const struct uc_insn *i)
{
    bool group = i->opcode == GROUP || i->opcode == GROUP_SHORT;
    unsigned how = i->reg & 7;
    if (!group || i->memory || i->width != 8 || (how != 0 && how != 5))
        return false;
    int32_t by = (int32_t)(how == 0 ? i->immediate : -i->immediate);
    if (i->rm == UC_INSN_RSP)
        s->sp += by;
    else if (s->at[i->rm].argument >= 0)
        s->at[i->rm].offset += by;
    return true;
}

// push, pop, leave.
static void follow_stack(struct state *s, const struct uc_insn *i)
{
    unsigned o = i->opcode;
    if (i->map != UC_INSN_ONE_BYTE || i->modrm)
        return;
    if ((o >= 0x50 && o <= 0x57) || o == 0x68 || o == 0x6a) {
        s->sp -= 8;
        keep_in_slot(s, s->sp, unknown);
    } else if (o >= 0x58 && o <= 0x5f) {
        s->sp += 8;
        s->framed = s->framed && o != 0x5d;
    } else if (o == 0xc9) {
        s->sp = s->fp + 8;
        s->framed = false;
    }
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

static void forget_written(struct state *s, const struct uc_insn *i)
{
    bool one_byte = i->map == UC_INSN_ONE_BYTE;
    unsigned o = i->opcode;
    bool hint = i->map == UC_INSN_0F && o >= 0x18 && o <= 0x1f; // endbr64 and nops
    if (hint || (one_byte && only_looks(i)))
        return;
    int32_t place;
    if (on_stack(s, i, &place))
        keep_in_slot(s, place, unknown);
    if (i->modrm) {
        if (!is_group(i))
            s->at[i->reg] = unknown;
        if (!i->memory)
            s->at[i->rm] = unknown;
        bool rbp = (i->reg == RBP && !is_group(i)) || (i->rm == RBP && !i->memory);
        s->framed = s->framed && !rbp;
        if (one_byte && (o == 0xf6 || o == 0xf7)) // products and quotients
            s->at[RAX] = s->at[RDX] = unknown;
        return;
    }
    s->framed = s->framed && (i->opcode & 0xf8) != 0xb8;
    bool one = one_byte && ((o >= 0x58 && o <= 0x5f) || (o >= 0xb8 && o <= 0xbf));
    for (unsigned r = 0; r < REGISTERS; r++) {
        if (!one || (r & 7) == (o & 7))
            s->at[r] = unknown;
    }
}

static void follow(struct walk *w, const struct uc_insn *i)
{
    static const uint8_t clobbered[] = {0, 1, 2, 6, 7, 8, 9, 10, 11};
    bool one_byte = i->map == UC_INSN_ONE_BYTE;
    if (i->kind == UC_INSN_CALL) {
        for (size_t n = 0; n < sizeof clobbered; n++)
            w->now.at[clobbered[n]] = unknown;
    } else if (i->kind == UC_INSN_PLAIN) {
        if (!one_byte && uc_insn_writes_memory(i))
            w->lost = true;
        if (one_byte)
            note_field(w, i);
        follow_stack(&w->now, i);
        bool mov = one_byte && (i->opcode == LEA || i->opcode == MOV || i->opcode == MOV_TO_REG);
        if (mov)
            follow_move(w, i);
        else if (!one_byte || !follow_sum(&w->now, i))
            forget_written(&w->now, i);
    }
}

static void begin(struct walk *w)
{
    static const uint8_t arguments[] = {7, 6, 2, 1, 8, 9}; // rdi, rsi, rdx, rcx, r8, r9
    memset(w, 0, sizeof *w);
    w->amount = -1;
    w->constants[w->constant_count++] = 1; // inc and dec say no number
    w->now.reached = true;
    for (size_t r = 0; r < REGISTERS; r++)
        w->now.at[r] = unknown;
    for (size_t n = 0; n < sizeof arguments; n++)
        w->now.at[arguments[n]].argument = (int8_t)n;
}

// False: the code is not one that is understood, or writes to another place than one.
static bool walk_through(struct walk *w, const uint8_t *code, size_t size)
{
    struct uc_insn i;
    begin(w);
    for (size_t at = 0; at < size && !w->lost; at += i.length) {
        if (uc_insn_decode(code + at, size - at, &i) < 0)
            return false;
        merge(&w->now, &w->coming[at]);
        w->lost = w->lost || w->now.broken;
        int64_t to = (int64_t)at + i.reference;
        if (w->now.reached)
            follow(w, &i);
        bool jumps = i.kind == UC_INSN_JUMP || i.kind == UC_INSN_BRANCH;
        if (jumps && i.refers && !i.memory && to >= 0 && to < (int64_t)size) {
            w->lost = w->lost || to <= (int64_t)at;
            merge(&w->coming[to], &w->now);
        }
        if (i.kind == UC_INSN_JUMP || i.kind == UC_INSN_RETURN || i.kind == UC_INSN_TRAP)
            w->now.reached = false;
    }
    return !w->lost && w->width != 0 && w->field.offset >= 0;
}

static bool holds(struct uc_subject *s, const struct uc_elf_symbol *f, const struct uc_action *a)
{
    static struct uc_candidate c;
    c = (struct uc_candidate){
        .action = a,
        .symbol = *f,
        .code = uc_elf_code(&s->file.elf, f->value, f->size).at,
        .text = uc_elf_text(&s->file.elf, f->value),
    };
    uc_judge(&s->tables, &c, 1, UC_STUB_NEAR);
    return !c.refusal;
}

static void write_spec(const struct uc_subject *s, const struct uc_elf_symbol *f,
                       const struct uc_action *a, struct uc_text *spec)
{
    uc_text_add(spec, "%s:%s=%s%s%u(arg%u", s->program ? "" : s->name, f->name,
                a->fetch ? "fetch_" : "", a->operation == UC_SUB ? "sub" : "add", a->width * 8U,
                (unsigned)a->address);
    if (a->offset)
        uc_text_add(spec, "+0x%x", (unsigned)a->offset);
    if (a->amount_is_argument)
        uc_text_add(spec, ",arg%d", a->amount);
    else if (a->amount != 1)
        uc_text_add(spec, ",%d", a->amount);
    uc_text_add(spec, ")");
}

// The library looks the function up by the name that it is given.
static bool is_found_by_name(const struct uc_subject *s, const struct uc_elf_symbol *f)
{
    struct uc_elf_symbol found;
    const char *why;
    return uc_locate(&s->tables, f->name, &found, &why) == 0 && found.value == f->value;
}

bool uc_candidate_spec(struct uc_subject *s, const struct uc_elf_symbol *f, struct uc_text *spec)
{
    static struct walk w;
    struct uc_bytes code = uc_elf_code(&s->file.elf, f->value, f->size);
    if (!code.at || f->size > LARGEST || strpbrk(f->name, ":;=") || !is_found_by_name(s, f) ||
        !walk_through(&w, code.at, code.n))
        return false;
    for (unsigned n = 0; n < 4 * (w.constant_count + 1); n++) {
        size_t which = n / 4;
        struct uc_action a = {
            .operation = n & 1 ? UC_SUB : UC_ADD,
            .width = w.width,
            .fetch = (n & 2) != 0,
            .address = (uint8_t)w.field.argument,
            .offset = w.field.offset,
            .amount_is_argument = which == w.constant_count,
            .amount = which < w.constant_count ? w.constants[which] : w.amount,
        };
        if (a.amount >= 0 && a.offset % a.width == 0 && holds(s, f, &a)) {
            write_spec(s, f, &a, spec);
            return !spec->cut;
        }
    }
    return false;
}
