// SPDX-License-Identifier: MIT
// Owns the recognition. A function is followed from its first byte to its last as if no branch were
// ever taken, which is right for this shape and gives a word too little for others, never too much.
#include "reader.h"

#include <string.h>

#include "insn.h"

enum { SHORTEST = 12, LONGEST = 160, MOST_CALLEES = 64, RAX = 0, REGISTERS = 16 };
enum { CALL_CLOBBERED = 0x0fc7 };

enum callee { OTHER, LOCK, UNLOCK, DEAD_END };

struct reader {
    const struct uc_tables *tables;
    struct {
        uint64_t at;
        enum callee kind;
    } known[MOST_CALLEES]; // a name is found by a search through all symbols
    size_t known_count;
};

static enum callee kind_of(const char *name)
{
    if (!name)
        return OTHER;
    if (strstr(name, ".cold") || strcmp(name, "abort") == 0 || strstr(name, "_fail"))
        return DEAD_END;
    if (strstr(name, "unlock"))
        return UNLOCK;
    return strstr(name, "lock") ? LOCK : OTHER;
}

static enum callee callee_at(struct reader *r, uint64_t at, bool through_slot)
{
    for (size_t i = 0; i < r->known_count; i++) {
        if (r->known[i].at == at)
            return r->known[i].kind;
    }
    enum callee kind = kind_of(uc_locate_callee(r->tables, at, through_slot));
    if (r->known_count < MOST_CALLEES) {
        r->known[r->known_count].at = at;
        r->known[r->known_count++].kind = kind;
    }
    return kind;
}

static bool loads(const struct uc_insn *i)
{
    bool plain = i->map == UC_INSN_ONE_BYTE && (i->opcode == 0x8b || i->opcode == 0x63);
    bool widening = i->map == UC_INSN_0F && (i->opcode & 0xf6) == 0xb6;
    return i->memory && i->base != UC_INSN_RSP && (plain || widening);
}

// Which registers hold a value that was loaded before the lock was taken.
static void follow(const struct uc_insn *i, bool locked, unsigned *loaded)
{
    bool moves = i->map == UC_INSN_ONE_BYTE && i->modrm && !i->memory &&
                 (i->opcode == 0x89 || i->opcode == 0x8b);
    unsigned to = moves && i->opcode == 0x89 ? i->rm : i->reg;
    unsigned from = moves && i->opcode == 0x89 ? i->reg : i->rm;
    // These have part of the opcode where others have a register.
    bool group = i->map == UC_INSN_ONE_BYTE && (i->opcode & 0xfc) == 0x80;
    bool push_or_pop = !i->modrm && i->opcode >= 0x50 && i->opcode <= 0x5f;
    bool test = i->opcode == 0x85 || i->opcode == 0x84;
    if (moves)
        *loaded = (*loaded & ~(1U << to)) | (*loaded >> from & 1) << to;
    else if (loads(i))
        *loaded = (*loaded & ~(1U << to)) | (unsigned)!locked << to;
    else if (i->kind == UC_INSN_CALL)
        *loaded &= ~(unsigned)CALL_CLOBBERED;
    else if (push_or_pop && i->opcode >= 0x58)
        *loaded &= ~(1U << (i->opcode & 7)); // r8 to r15, too, in part: too little is fine
    else if (i->kind == UC_INSN_PLAIN && i->modrm && !test)
        *loaded &= ~((group ? 0 : 1U << i->reg) | (i->memory ? 0 : 1U << i->rm));
}

static bool changes_memory(const struct uc_insn *i)
{
    return uc_insn_writes_memory(i) && i->base != UC_INSN_RSP && i->base != UC_INSN_RBP;
}

static bool is_idle_reader(struct reader *r, const struct uc_elf_symbol *s, struct uc_bytes code)
{
    unsigned loaded = 0; // a bit for each register
    unsigned locks = 0;
    unsigned unlocks = 0;
    struct uc_insn i;
    for (size_t at = 0; at < code.n; at += i.length) {
        if (uc_insn_decode(code.at + at, code.n - at, &i) < 0 || i.lock || changes_memory(&i))
            return false;
        int64_t to = (int64_t)at + i.reference;
        bool outside = i.refers && i.kind != UC_INSN_PLAIN && (to < 0 || to >= (int64_t)code.n);
        enum callee kind = outside ? callee_at(r, s->value + (uint64_t)to, i.memory) : DEAD_END;
        bool computed = i.kind == UC_INSN_INDIRECT || (i.kind == UC_INSN_CALL && !i.refers);
        locks += kind == LOCK;
        unlocks += kind == UNLOCK;
        if (kind == OTHER || computed || unlocks > locks || locks > 1)
            return false;
        if (locks > 0 && loads(&i))
            return false;
        follow(&i, locks > 0, &loaded);
        if (i.kind == UC_INSN_RETURN)
            return locks == 1 && unlocks == 1 && loaded >> RAX & 1;
    }
    return false;
}

static void search(struct reader *r, const struct uc_elf_table *t, uc_reader_fn *fn, void *context)
{
    for (size_t i = 0; i < t->count; i++) {
        const Elf64_Sym *s = &t->at[i];
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF ||
            s->st_size < SHORTEST || s->st_size > LONGEST || s->st_name >= t->names_size)
            continue;
        struct uc_elf_symbol symbol = {
            .name = t->names + s->st_name, .value = s->st_value, .size = s->st_size};
        struct uc_bytes code = uc_elf_code(r->tables->file, s->st_value, s->st_size);
        if (code.at && is_idle_reader(r, &symbol, code))
            fn(context, symbol.name);
    }
}

void uc_reader_each(const struct uc_tables *t, uc_reader_fn *fn, void *context)
{
    struct reader r = {.tables = t};
    const struct uc_elf_table *full = t->debug ? &t->debug->symtab : &t->file->symtab;
    search(&r, full->at ? full : &t->file->dynsym, fn, context);
    // Mini debug info leaves out what the dynamic table has.
    if (t->debug && t->debug->symtab.count < t->file->dynsym.count)
        search(&r, &t->file->dynsym, fn, context);
}
