// SPDX-License-Identifier: MIT
// Owns the order in which a file's symbol tables are asked.
#include "subject.h"

#include <errno.h>

#include "stub.h"
#include "text.h"

int uc_subject_open(struct uc_subject *s, const char *path, const char *name, bool program)
{
    *s = (struct uc_subject){.name = name, .program = program};
    int r = uc_file_open(path, &s->file);
    if (r < 0)
        return r;
    s->tables.file = &s->file.elf;
    // Not number 0: that is the program that this runs in.
    struct uc_object o = {.path = path, .name = name, .index = 1};
    if (s->file.elf.symtab.at)
        return 0;
    if (uc_object_open_debug(&o, &s->file, &s->debug) == 0)
        s->tables.debug = &s->debug.elf;
    else if (uc_debugdata_open(&s->file.elf, &s->mini) == 0)
        s->tables.debug = &s->mini.elf;
    return 0;
}

void uc_subject_close(struct uc_subject *s)
{
    uc_debugdata_close(&s->mini);
    uc_file_close(&s->debug);
    uc_file_close(&s->file);
}

static bool imports(const void *subject, const char *name)
{
    const struct uc_subject *s = subject;
    return uc_elf_has(&s->file.elf.dynsym, name, false);
}

static bool fits(const struct uc_subject *s, const struct uc_wanted *w)
{
    const char *glob = w->spec.object;
    bool named = *glob ? uc_text_glob(glob, s->name) : s->program;
    return named && (!w->known || uc_known_fits(w->known, imports, s));
}

// A known function without a symbol of its name: another build of the library, or a stripped one.
static bool miss(const struct uc_subject *s, struct uc_finding *f)
{
    const struct uc_known *k = f->wanted->known;
    const char *unused;
    if (k && k->atomic && uc_locate(&s->tables, k->atomic, &f->symbol, &unused) != -ENOENT) {
        f->kind = UC_FINDING_ATOMIC;
        f->why = uc_prove_atomic;
        return true;
    }
    if (k && uc_locate_prefix(&s->tables, k->prefix)) {
        f->kind = UC_FINDING_REFUSED;
        f->why = uc_known_stranger;
        return true;
    }
    if (!k || s->tables.debug || s->file.elf.symtab.at ||
        !uc_elf_has(&s->file.elf.dynsym, k->landmark, true))
        return false;
    f->kind = UC_FINDING_HIDDEN;
    f->why = uc_known_hidden;
    return true;
}

static bool locate(const struct uc_subject *s, struct uc_finding *f)
{
    const struct uc_spec *spec = &f->wanted->spec;
    int r = spec->location.size
                ? uc_locate_given(&s->tables, spec->symbol, &spec->location, &f->symbol, &f->why)
                : uc_locate(&s->tables, spec->symbol, &f->symbol, &f->why);
    if (r == -ENOENT)
        return !spec->location.size && miss(s, f);
    // What was refused for its name is ours to tell, for the library would not find it.
    f->told = s->mini.image && !spec->location.size &&
              (r < 0 || !uc_elf_has(&s->file.elf.dynsym, f->symbol.name, true));
    return true;
}

size_t uc_subject_judge(struct uc_subject *s, struct uc_wanted *wanted, size_t count,
                        struct uc_finding found[UC_WANTED_MOST])
{
    static struct uc_candidate candidates[UC_WANTED_MOST];
    size_t n = 0;
    for (size_t i = 0; i < count && n < UC_WANTED_MOST; i++) {
        struct uc_finding *f = &found[n];
        *f = (struct uc_finding){.wanted = &wanted[i]};
        if (!fits(s, &wanted[i]) || !locate(s, f))
            continue;
        wanted[i].found = true;
        candidates[n++] = (struct uc_candidate){
            .action = &wanted[i].spec.action,
            .symbol = f->symbol,
            .code = uc_elf_code(&s->file.elf, f->symbol.value, f->symbol.size).at,
            .text = uc_elf_text(&s->file.elf, f->symbol.value),
            .trusted = wanted[i].known && wanted[i].known->guarded,
            .refusal = f->why,
        };
    }
    uc_judge(&s->tables, candidates, n, UC_STUB_NEAR);
    for (size_t i = 0; i < n; i++) {
        found[i].why = candidates[i].refusal;
        if (found[i].kind != UC_FINDING_HIDDEN)
            found[i].kind = !found[i].why                     ? UC_FINDING_WOULD
                            : found[i].why == uc_prove_atomic ? UC_FINDING_ATOMIC
                                                              : UC_FINDING_REFUSED;
    }
    return n;
}
