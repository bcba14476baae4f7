// SPDX-License-Identifier: MIT
// Owns the rewriting. The library proves what it is given as it proves any SPEC; what only symbol
// tables can tell (a folded function, a clone) is judged here, before it is given.
#include "handover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"
#include "options.h"
#include "subject.h"
#include "text.h"
#include "tool.h"

static const char variable[] = "UNCONTEND_COUNTERS";

// One element of the setting, or a known row that its "auto" stands for.
struct element {
    const char *text; // as it was written; NULL: a known row
    char *cut;        // what wanted[].spec points into
    bool parsed;
    bool elsewhere; // found where the library finds it, too
    bool refused;
    char *located; // SPECs to be given instead
};

struct handover {
    struct element element[UC_WANTED_MOST];
    struct uc_wanted wanted[UC_WANTED_MOST]; // those that are parsed
    size_t owner[UC_WANTED_MOST];            // whose element it is
    size_t count, wanted_count;
    bool changes;
};

static void add(struct handover *h, const char *text, const struct uc_known *known)
{
    struct uc_spec_error unused;
    if (h->count == UC_WANTED_MOST)
        return;
    struct element *e = &h->element[h->count];
    struct uc_wanted *w = &h->wanted[h->wanted_count];
    *w = (struct uc_wanted){.known = known};
    *e = (struct element){.text = known ? NULL : text, .cut = strdup(known ? known->spec : text)};
    e->parsed = e->cut && uc_spec_parse(e->cut, &w->spec, &unused) == 0;
    if (e->parsed)
        h->owner[h->wanted_count++] = h->count;
    h->count++;
}

static void read_setting(struct handover *h, char *setting)
{
    bool known = false;
    for (char *text; (text = uc_spec_next(&setting)) != NULL;) {
        add(h, text, NULL);
        known |= strcmp(text, "auto") == 0;
    }
    for (size_t i = 0; known && i < uc_known_count; i++)
        add(h, NULL, &uc_known[i]);
}

static void give(struct element *e, const struct uc_subject *s, const struct uc_finding *f)
{
    const struct uc_spec *spec = &f->wanted->spec;
    struct uc_bytes id = uc_elf_build_id(&s->file.elf);
    char digits[2 * UC_SPEC_BUILD_ID + 1] = "";
    char *all = NULL;
    if (!id.at || id.n > UC_SPEC_BUILD_ID)
        return;
    for (size_t i = 0; i < id.n; i++)
        snprintf(digits + 2 * i, 3, "%02x", id.at[i]);
    if (asprintf(&all, "%s%s%s:%s@%#lx+%#lx/%s=%s", e->located ? e->located : "",
                 e->located ? ";" : "", spec->object, spec->symbol, (unsigned long)f->symbol.value,
                 (unsigned long)f->symbol.size, digits, spec->action_text) < 0)
        return;
    free(e->located);
    e->located = all;
}

static void take(struct handover *h, const struct uc_subject *s, const struct uc_finding *f)
{
    struct element *e = &h->element[h->owner[f->wanted - h->wanted]];
    if (!f->told) {
        e->elsewhere = true;
    } else if (f->kind == UC_FINDING_WOULD) {
        give(e, s, f);
    } else if (e->text) {
        uc_tool_say("%s: %s:%s left alone: %s", variable, s->name, f->wanted->spec.symbol, f->why);
        e->refused = true;
    }
    h->changes |= e->located || e->refused;
}

static void look_at(void *handover, const char *path, bool program)
{
    struct handover *h = handover;
    struct uc_subject s;
    struct uc_finding found[UC_WANTED_MOST];
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    bool named = false;
    for (size_t i = 0; i < h->wanted_count; i++) {
        const char *glob = h->wanted[i].spec.object;
        named |= *glob ? uc_text_glob(glob, name) : program;
    }
    if (!named || uc_subject_open(&s, path, name, program) < 0)
        return;
    size_t n = uc_subject_judge(&s, h->wanted, h->wanted_count, found);
    for (size_t i = 0; i < n; i++)
        take(h, &s, &found[i]);
    uc_subject_close(&s);
}

// True when a library that the program is linked with is called as the row wants it.
static bool needs(const struct uc_elf *e, const char *glob)
{
    struct uc_bytes dynamic = uc_elf_section(e, ".dynamic");
    struct uc_bytes names = uc_elf_section(e, ".dynstr");
    if (!dynamic.at || !names.at || names.n == 0 || names.at[names.n - 1] != '\0')
        return false;
    for (size_t i = 0; i < dynamic.n / sizeof(Elf64_Dyn); i++) {
        Elf64_Dyn d;
        memcpy(&d, dynamic.at + i * sizeof d, sizeof d);
        if (d.d_tag == DT_NEEDED && d.d_un.d_val < names.n &&
            uc_text_glob(glob, (const char *)names.at + d.d_un.d_val))
            return true;
    }
    return false;
}

// The dynamic linker is asked for a list only where there may be something to find: for every
// program that is a user's SPEC, for "auto" a name that it is linked with.
static bool is_worth_it(const struct handover *h, const char *path)
{
    struct uc_file f;
    bool worth = false;
    for (size_t i = 0; i < h->wanted_count; i++)
        worth |= !h->wanted[i].known && !h->wanted[i].spec.location.size;
    if (worth || uc_file_open(path, &f) < 0)
        return worth;
    for (size_t i = 0; i < h->wanted_count; i++) {
        const char *glob = h->wanted[i].spec.object;
        worth |= *glob ? needs(&f.elf, glob) : uc_elf_section(&f.elf, ".gnu_debugdata").at != NULL;
    }
    uc_file_close(&f);
    return worth;
}

static void write_setting(const struct handover *h)
{
    char setting[sizeof((struct uc_options *)NULL)->counters];
    struct uc_text t = UC_TEXT(setting);
    setting[0] = '\0';
    for (size_t i = 0; i < h->count; i++) {
        const struct element *e = &h->element[i];
        if (e->text && ((!e->located && !e->refused) || e->elsewhere))
            uc_text_add(&t, "%s%s", t.length ? ";" : "", e->text);
        if (e->located)
            uc_text_add(&t, "%s%s", t.length ? ";" : "", e->located);
    }
    if (t.cut)
        uc_tool_say("%s would become too long with what .gnu_debugdata says: unchanged", variable);
    else
        setenv(variable, t.length ? setting : "off", 1);
}

void uc_handover_counters(const char *path, const char *linker)
{
    static struct handover h;
    const char *now = getenv(variable);
    char *setting = strdup(now && *now ? now : "auto");
    if (!setting || strcmp(setting, "off") == 0) {
        free(setting);
        return;
    }
    read_setting(&h, setting);
    if (is_worth_it(&h, path))
        (void)uc_objects_of_command(path, linker, look_at, &h);
    if (h.changes)
        write_setting(&h);
    for (size_t i = 0; i < h.count; i++) {
        free(h.element[i].cut);
        free(h.element[i].located);
    }
    free(setting);
}
