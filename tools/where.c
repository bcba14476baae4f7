// SPDX-License-Identifier: MIT
// Owns the way from an address to a name. The process may be hostile, or end meanwhile: what its
// memory says is compared with files, and never followed.
#include "where.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "candidate.h"
#include "maps.h"
#include "process.h"

enum { HEAD = 1024, MOST_OBJECTS = 512 };

struct object {
    uint64_t from, to; // of the mapping of the file's first bytes
    uint64_t bias;     // to be taken off for an address as the file has it
    char *path;
    const char *name; // its last part
    bool program, tried, open;
    struct uc_subject subject;
};

struct map {
    pid_t pid;
    struct object *objects;
    size_t count;
};

static bool add_object(void *map, const struct uc_mapped *mapped)
{
    struct map *m = map;
    struct object *more = realloc(m->objects, (m->count + 1) * sizeof *more);
    char *path = more ? strdup(mapped->path) : NULL;
    if (more)
        m->objects = more;
    if (!path)
        return false;
    char *gone = strstr(path, " (deleted)");
    if (gone && strcmp(gone, " (deleted)") == 0)
        *gone = '\0';
    m->objects[m->count++] = (struct object){
        .from = mapped->from,
        .to = mapped->to,
        .path = path,
        .name = strrchr(path, '/') + 1,
        .program = mapped->program,
    };
    return m->count < MOST_OBJECTS;
}

static void close_map(struct map *m)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->objects[i].open)
            uc_subject_close(&m->objects[i].subject);
        free(m->objects[i].path);
    }
    free(m->objects);
}

// A package upgrade may have put another file there: headers and build id stand at the beginning.
static bool is_loaded_file(const struct map *m, const struct object *o)
{
    char head[HEAD];
    const struct uc_elf *e = &o->subject.file.elf;
    size_t n = e->size < sizeof head ? e->size : sizeof head;
    return uc_process_peek(m->pid, o->from, head, n) == 0 && memcmp(head, e->image, n) == 0;
}

static bool try_file(const struct map *m, struct object *o, const char *path)
{
    if (uc_subject_open(&o->subject, path, o->name, o->program) < 0)
        return false;
    if (is_loaded_file(m, o))
        return true;
    uc_subject_close(&o->subject);
    return false;
}

// By the name in the process's own root; or the mapped file itself, whatever became of its name,
// which only root may open.
static bool open_object(const struct map *m, struct object *o)
{
    char path[PATH_MAX + 64];
    if (o->tried)
        return o->open;
    o->tried = true;
    snprintf(path, sizeof path, "/proc/%d/root%s", (int)m->pid, o->path);
    o->open = try_file(m, o, path);
    if (!o->open) {
        snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", (int)m->pid, o->from, o->to);
        o->open = try_file(m, o, path);
    }
    const struct uc_elf *e = o->open ? &o->subject.file.elf : NULL;
    for (size_t i = 0; e && i < e->head->e_phnum; i++) {
        if (e->segments[i].p_type == PT_LOAD) {
            o->bias = o->from - (e->segments[i].p_vaddr - e->segments[i].p_offset);
            break;
        }
    }
    return o->open;
}

// The object whose loaded segments hold the address.
static struct object *object_at(struct map *m, uint64_t address)
{
    struct object *nearest = NULL;
    for (size_t i = 0; i < m->count; i++) {
        struct object *o = &m->objects[i];
        if (o->from <= address && (!nearest || o->from > nearest->from))
            nearest = o;
    }
    if (!nearest || !open_object(m, nearest))
        return NULL;
    const struct uc_elf *e = &nearest->subject.file.elf;
    for (size_t i = 0; i < e->head->e_phnum; i++) {
        const Elf64_Phdr *p = &e->segments[i];
        if (p->p_type == PT_LOAD && address - nearest->bias - p->p_vaddr < p->p_memsz)
            return nearest;
    }
    return NULL;
}

static bool search_table(const struct uc_elf_table *t, uint64_t value, struct uc_elf_symbol *found)
{
    found->name = NULL;
    for (size_t i = 0; i < t->count; i++) {
        const Elf64_Sym *s = &t->at[i];
        unsigned type = ELF64_ST_TYPE(s->st_info);
        bool wanted = type == STT_FUNC || type == STT_OBJECT;
        if (!wanted || s->st_shndx == SHN_UNDEF || value - s->st_value >= s->st_size ||
            s->st_name >= t->names_size || (found->name && s->st_value <= found->value))
            continue;
        *found = (struct uc_elf_symbol){
            .name = t->names + s->st_name,
            .value = s->st_value,
            .size = s->st_size,
            .type = (uint8_t)type,
        };
    }
    return found->name != NULL;
}

// The symbol that holds a value, in the fullest table that there is.
static bool symbol_at(const struct uc_subject *s, uint64_t value, struct uc_elf_symbol *found)
{
    const struct uc_elf *debug = s->tables.debug;
    return (debug && search_table(&debug->symtab, value, found)) ||
           search_table(&s->file.elf.symtab, value, found) ||
           search_table(&s->file.elf.dynsym, value, found);
}

// The C++ library's own; where it is not installed, names stay as they are.
static char *demangled(const char *name)
{
    static char *(*demangle)(const char *, char *, size_t *, int *);
    static bool tried;
    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    if (!tried) {
        void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
        memcpy(&demangle, &symbol, sizeof demangle);
        tried = true;
    }
    return demangle ? demangle(name, NULL, NULL, NULL) : NULL;
}

// Without the parameters, which begin with the last '(' that is not inside another.
static void cut_parameters(char *name)
{
    int depth = 0;
    for (size_t n = strlen(name); n > 1; n--) {
        depth += name[n - 1] == ')' ? 1 : name[n - 1] == '(' ? -1 : 0;
        if (depth == 0 && name[n - 1] == '(') {
            name[n - 1] = '\0';
            return;
        }
    }
}

static void add_name(struct uc_text *out, const struct object *o, const struct uc_elf_symbol *s)
{
    char *readable = demangled(s->name);
    if (readable)
        cut_parameters(readable);
    uc_text_add(out, "%s+%s", o->name, readable ? readable : s->name);
    free(readable);
}

static void name_lock(struct map *m, struct uc_hot_row *h)
{
    struct uc_text out = UC_TEXT(h->lock_name);
    struct uc_elf_symbol s;
    struct object *o = object_at(m, h->lock);
    uint64_t value = o ? h->lock - o->bias : 0;
    if (!o) {
        uc_text_add(&out, "0x%lx", h->lock);
    } else if (symbol_at(&o->subject, value, &s)) {
        add_name(&out, o, &s);
        if (value != s.value)
            uc_text_add(&out, "+0x%lx", value - s.value);
    } else {
        uc_text_add(&out, "%s+0x%lx", o->name, value);
    }
}

static void name_caller(struct map *m, struct uc_hot_row *h)
{
    struct uc_text out = UC_TEXT(h->caller_name);
    struct uc_text spec = UC_TEXT(h->spec);
    struct uc_elf_symbol s;
    struct object *o = object_at(m, h->caller - 1);
    // A call may be a function's last instruction.
    uint64_t value = o ? h->caller - 1 - o->bias : 0;
    if (!o) {
        uc_text_add(&out, "0x%lx", h->caller);
        return;
    }
    if (!symbol_at(&o->subject, value, &s)) {
        uc_text_add(&out, "%s+0x%lx", o->name, value + 1);
        return;
    }
    add_name(&out, o, &s);
    if (h->write && s.type == STT_FUNC && !uc_candidate_spec(&o->subject, &s, &spec))
        h->spec[0] = '\0';
}

void uc_where_name(pid_t pid, struct uc_hot_row *rows, size_t count)
{
    struct map m = {.pid = pid};
    bool open = false;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].caller_name[0])
            continue;
        if (!open)
            (void)uc_maps_each(pid, add_object, &m);
        open = true;
        name_lock(&m, &rows[i]);
        name_caller(&m, &rows[i]);
    }
    close_map(&m);
}
