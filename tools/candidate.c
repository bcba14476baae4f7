// SPDX-License-Identifier: MIT
// Owns the guess: where the code writes and what it adds is followed, and each action that this
// leaves is tried on the library's own proof.
#include "candidate.h"

#include <string.h>

#include "stub.h"
#include "trace.h"

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
    struct uc_trace t;
    struct uc_bytes code = uc_elf_code(&s->file.elf, f->value, f->size);
    if (!code.at || strpbrk(f->name, ":;=") || !is_found_by_name(s, f))
        return false;
    uc_trace(&t, code.at, code.n, NULL, NULL);
    if (t.lost || t.width == 0 || t.field.offset < 0)
        return false;
    for (unsigned n = 0; n < 4 * (t.constant_count + 1); n++) {
        size_t which = n / 4;
        struct uc_action a = {
            .operation = n & 1 ? UC_SUB : UC_ADD,
            .width = t.width,
            .fetch = (n & 2) != 0,
            .address = (uint8_t)t.field.argument,
            .offset = t.field.offset,
            .amount_is_argument = which == t.constant_count,
            .amount = which < t.constant_count ? t.constants[which] : t.amount.argument,
        };
        if (a.amount >= 0 && a.offset % a.width == 0 && holds(s, f, &a)) {
            write_spec(s, f, &a, spec);
            return !spec->cut;
        }
    }
    return false;
}
