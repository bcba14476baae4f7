// SPDX-License-Identifier: MIT
// Owns the wording of the verdicts. They are the library's own, found without running anything.
#include "counters.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel.h"
#include "objects.h"
#include "reader.h"
#include "say.h"
#include "subject.h"

enum { MOST_OBJECTS = 512, MOST_NAMED = 8 };

static struct uc_wanted *wanted;
static size_t wanted_count;
static char *lines; // printed later: "verdict\0text\0", an empty verdict ends them
static FILE *writer;
static size_t lines_size;
static struct {
    dev_t device;
    ino_t inode;
} seen[MOST_OBJECTS];
static size_t seen_count;

void uc_counters_start(const char *setting)
{
    char *copy = strdup(setting); // it may be the environment's own
    uc_say_start(false);
    writer = open_memstream(&lines, &lines_size);
    if (copy && writer)
        wanted = uc_wanted_read(copy, &wanted_count);
    free(copy);
}

static void tell(const char *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void tell(const char *verdict, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(writer, "%s%c", verdict, 0);
    vfprintf(writer, format, args);
    fputc(0, writer);
    va_end(args);
}

static void tell_finding(const struct uc_subject *s, const struct uc_finding *f)
{
    static const char *const verdicts[] = {"ok", "note", "no", "no"};
    const struct uc_spec *spec = &f->wanted->spec;
    if (f->kind == UC_FINDING_WOULD)
        tell(verdicts[f->kind], "%s:%s would be replaced: %s%s", s->name,
             uc_wanted_title(f->wanted), spec->action_text,
             f->told ? "; found in .gnu_debugdata, which 'uncontend run' reads for the library"
                     : "");
    else
        tell(verdicts[f->kind], "%s:%s would be left alone: %s", s->name,
             uc_wanted_title(f->wanted), f->why);
}

struct readers {
    char names[512];
    size_t count;
};

static void add_reader(void *context, const char *name)
{
    struct readers *r = context;
    size_t n = strlen(r->names);
    if (r->count++ < MOST_NAMED)
        snprintf(r->names + n, sizeof r->names - n, "%s%s", n ? ", " : "", name);
}

static void tell_readers(const struct uc_subject *s)
{
    struct readers r = {0};
    uc_reader_each(&s->tables, add_reader, &r);
    if (r.count == 0)
        return;
    char more[40] = "";
    if (r.count > MOST_NAMED)
        snprintf(more, sizeof more, " and %zu more", r.count - MOST_NAMED);
    tell("note", "%s: %s%s: %s, then lock%s and unlock%s for nothing: harmless, left alone",
         s->name, r.names, more, r.count > 1 ? "load" : "loads", r.count > 1 ? "" : "s",
         r.count > 1 ? "" : "s");
}

static bool is_new(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return false;
    for (size_t i = 0; i < seen_count; i++) {
        if (seen[i].device == st.st_dev && seen[i].inode == st.st_ino)
            return false;
    }
    if (seen_count == MOST_OBJECTS)
        return false;
    seen[seen_count].device = st.st_dev;
    seen[seen_count++].inode = st.st_ino;
    return true;
}

void uc_counters_add(const char *path, bool program)
{
    struct uc_subject s;
    struct uc_finding found[UC_WANTED_MOST];
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (!wanted || !is_new(path) || uc_subject_open(&s, path, name, program) < 0)
        return;
    size_t n = uc_subject_judge(&s, wanted, wanted_count, found);
    for (size_t i = 0; i < n; i++)
        tell_finding(&s, &found[i]);
    if (!uc_objects_is_libc(name) && strncmp(name, "libuncontend", 12) != 0)
        tell_readers(&s);
    uc_subject_close(&s);
}

void uc_counters_print(void)
{
    puts("hidden counters");
    if (!wanted) {
        uc_doctor_line("-", "UNCONTEND_COUNTERS is off");
        return;
    }
    for (size_t i = 0; i < wanted_count; i++) {
        const struct uc_spec *s = &wanted[i].spec;
        if (!wanted[i].known && !wanted[i].found)
            tell("no", "%s:%s: there is no such function in what is loaded at start-up", s->object,
                 s->symbol);
    }
    fflush(writer);
    if (lines_size == 0)
        uc_doctor_line("-", "none of the known ones; others can be named in UNCONTEND_COUNTERS");
    for (const char *at = lines; at < lines + lines_size;) {
        const char *text = at + strlen(at) + 1;
        uc_doctor_line(at, "%s", text);
        at = text + strlen(text) + 1;
    }
}
