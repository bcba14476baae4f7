// SPDX-License-Identifier: MIT
// Owns the order in which tables and names are tried.
#include "locate.h"

#include <errno.h>
#include <string.h>

#include "demangle.h"
#include "insn.h"

#include "poison.h"

static bool matches_written(const char *symbol, const char *written)
{
    return uc_demangle_matches(symbol, written) && !strchr(symbol, '.');
}

static bool matches_clone(const char *symbol, const char *name)
{
    size_t n = strlen(name);
    bool mangled = strncmp(symbol, name, n) == 0 && symbol[n] == '.';
    return uc_elf_clone_suffix(symbol) && (mangled || uc_demangle_matches(symbol, name));
}

static const struct uc_elf_table *table(const struct uc_tables *t, size_t n)
{
    return n == 0 ? t->debug ? &t->debug->symtab : &t->file->symtab : &t->file->dynsym;
}

static int find(const struct uc_tables *t, uc_elf_match *match, const char *name,
                struct uc_elf_symbol *s)
{
    int r = -ENOENT;
    for (size_t n = 0; n < 2 && r == -ENOENT; n++)
        r = uc_elf_find(table(t, n), match, name, s);
    return r;
}

static const char *unfit(const struct uc_elf_symbol *s)
{
    switch (s->type) {
    case STT_FUNC:
        return s->size ? NULL : "has no size in the symbol table";
    case STT_GNU_IFUNC:
        return "is chosen at run time (ifunc)";
    case STT_NOTYPE:
        return "is not marked as a function";
    default:
        return "is data, not a function";
    }
}

int uc_locate(const struct uc_tables *t, const char *name, struct uc_elf_symbol *s,
              const char **refusal)
{
    int r = find(t, NULL, name, s);
    bool mangled = strncmp(name, "_Z", 2) == 0;
    if (r == -ENOENT && !mangled)
        r = find(t, matches_written, name, s);
    if (r == -ENOENT) {
        if (find(t, matches_clone, name, s) == -ENOENT)
            return -ENOENT;
        *refusal = "is there only as a clone that the compiler made";
        return -EEXIST;
    }
    *refusal = r == -EEXIST ? "several functions have that name" : unfit(s);
    if (!*refusal && uc_elf_clone_suffix(s->name))
        *refusal = "is a clone that the compiler made";
    if (!*refusal && !uc_elf_code(t->file, s->value, s->size).at)
        *refusal = "is not in read-only code";
    return *refusal ? -EEXIST : 0;
}

int uc_locate_given(const struct uc_tables *t, const char *name, const struct uc_location *l,
                    struct uc_elf_symbol *s, const char **refusal)
{
    struct uc_bytes id = uc_elf_build_id(t->file);
    if (!id.at || id.n != l->build_id_size || memcmp(id.at, l->build_id, id.n) != 0)
        return -ENOENT;
    *s = (struct uc_elf_symbol){.name = name, .value = l->value, .size = l->size, .type = STT_FUNC};
    if (!uc_elf_code(t->file, l->value, l->size).at)
        *refusal = "is not in read-only code";
    else if (!uc_elf_is_function(t->file, l->value, l->size))
        *refusal = "no function of that size begins there";
    return *refusal ? -EEXIST : 0;
}

bool uc_locate_prefix(const struct uc_tables *t, const char *prefix)
{
    return uc_elf_has_prefix(table(t, 0), prefix) || uc_elf_has_prefix(table(t, 1), prefix);
}

const char *uc_locate_company(const struct uc_tables *t, const struct uc_elf_symbol *s, size_t head)
{
    struct uc_elf_company c = {0};
    for (size_t n = 0; n < 2; n++)
        uc_elf_company(table(t, n), s, head, &c);
    if (c.twin)
        return "shares its code with another function (folded)";
    if (c.inside)
        return "another symbol lies in its first bytes";
    return c.clone ? "the compiler made a clone of it beside" : NULL;
}

// The slot that a linkage stub jumps through: [endbr64] [bnd] jmp *slot(%rip). 0: no stub.
static uint64_t slot_of_stub(const struct uc_elf *e, uint64_t value)
{
    enum { LONGEST = 16 };
    struct uc_bytes code = uc_elf_code(e, value, LONGEST);
    struct uc_insn i;
    for (size_t at = 0; code.at && at < code.n; at += i.length) {
        if (uc_insn_decode(code.at + at, code.n - at, &i) < 0)
            return 0;
        if (i.kind == UC_INSN_JUMP && i.memory)
            return value + at + (uint64_t)i.reference;
        if (!uc_insn_is_endbr(code.at + at, code.n - at))
            return 0;
    }
    return 0;
}

const char *uc_locate_callee(const struct uc_tables *t, uint64_t value, bool through_slot)
{
    uint64_t slot = through_slot ? value : slot_of_stub(t->file, value);
    const char *name = slot ? uc_elf_slot_name(t->file, slot) : NULL;
    for (size_t n = 0; n < 2 && !name && !through_slot; n++)
        name = uc_elf_function_at(table(t, n), value);
    return name;
}
