// SPDX-License-Identifier: MIT
// Owns the tables behind the doctor's answer.
#include "imports.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "kernel.h"
#include "object.h"
#include "objects.h"

enum { USERS = 200 }; // bytes for the names of a function's users

struct name {
    UT_hash_handle hh;
    bool imported;
    char definer[80]; // an object besides libc that defines it
    char users[USERS];
    char text[];
};

struct uc_imports {
    struct name *names;
    const char *object; // base name of the one being looked at
    bool is_libc;
    bool sanitized;
};

enum group { RANDOM, OPTIONAL, LOCKS, SIGNAL, HELP };

static enum group group_of(const char *name)
{
    static const struct {
        const char *prefix;
        enum group group;
    } prefixes[] = {
        {"RAND_", OPTIONAL}, {"syscall", OPTIONAL}, {"pthread_rwlock", LOCKS}, {"__pthread", LOCKS},
        {"prctl", HELP},     {"dl", HELP},          {"uncontend", HELP},       {"clone", HELP},
        {"__clone", HELP},   {"get", RANDOM},       {"arc4", RANDOM},
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(name, prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0)
            return prefixes[i].group;
    }
    return SIGNAL;
}

static void add_name(struct uc_imports *m, const char *text, bool defined)
{
    size_t n = strlen(text);
    struct name *found;
    if (!defined)
        return;
    HASH_FIND(hh, m->names, text, n, found);
    struct name *name = found ? NULL : calloc(1, sizeof *name + n + 1);
    if (!name)
        return;
    memcpy(name->text, text, n + 1);
    HASH_ADD_KEYPTR(hh, m->names, name->text, n, name);
}

// Calls fn for each name in a file's dynamic symbol table.
static int each_symbol(struct uc_imports *m, const char *path,
                       void (*fn)(struct uc_imports *m, const char *text, bool defined))
{
    struct uc_file f;
    int r = uc_file_open(path, &f);
    if (r < 0)
        return r;
    const struct uc_elf_table *t = &f.elf.dynsym;
    for (size_t i = 0; i < t->count; i++) {
        if (t->at[i].st_name < t->names_size && t->names[t->at[i].st_name])
            fn(m, t->names + t->at[i].st_name, t->at[i].st_shndx != SHN_UNDEF);
    }
    uc_file_close(&f);
    return 0;
}

static int by_text(const struct name *a, const struct name *b)
{
    return strcmp(a->text, b->text);
}

struct uc_imports *uc_imports_new(const char *library)
{
    struct uc_imports *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    if (each_symbol(m, library, add_name) < 0) {
        free(m);
        return NULL;
    }
    // The RAND_bytes family is in an object of its own beside it.
    char rand[PATH_MAX + sizeof "libuncontend-rand.so"];
    const char *slash = strrchr(library, '/');
    snprintf(rand, sizeof rand, "%.*slibuncontend-rand.so", slash ? (int)(slash + 1 - library) : 0,
             library);
    (void)each_symbol(m, rand, add_name);
    HASH_SORT(m->names, by_text);
    return m;
}

const char *uc_imports_users(const struct uc_imports *m, const char *name)
{
    struct name *found;
    HASH_FIND(hh, m->names, name, strlen(name), found);
    return found && found->imported ? found->users : NULL;
}

void uc_imports_free(struct uc_imports *m)
{
    struct name *name = m->names;
    HASH_CLEAR(hh, m->names);
    while (name) {
        struct name *next = name->hh.next;
        free(name);
        name = next;
    }
    free(m);
}

static void note_user(struct name *name, const char *object)
{
    size_t used = strlen(name->users);
    name->imported = true;
    if (used + strlen(object) + 8 < sizeof name->users)
        snprintf(name->users + used, sizeof name->users - used, "%s%s", used ? ", " : "", object);
    else if (used >= 3 && strcmp(name->users + used - 3, "...") != 0)
        snprintf(name->users + used, sizeof name->users - used, ", ...");
}

static void look_at_symbol(struct uc_imports *m, const char *text, bool defined)
{
    struct name *name;
    if (strncmp(text, "__tsan_init", 11) == 0 || strncmp(text, "__asan_init", 11) == 0)
        m->sanitized = true;
    HASH_FIND(hh, m->names, text, strlen(text), name);
    if (!name || m->is_libc || group_of(text) == HELP)
        return;
    if (defined)
        snprintf(name->definer, sizeof name->definer, "%s", m->object);
    else
        note_user(name, m->object);
}

void uc_imports_add(struct uc_imports *m, const char *path)
{
    const char *slash = strrchr(path, '/');
    m->object = slash ? slash + 1 : path;
    if (strncmp(m->object, "libuncontend", 12) == 0)
        return;
    m->is_libc = uc_objects_is_libc(m->object);
    (void)each_symbol(m, path, look_at_symbol);
}

static bool print_group(const struct uc_imports *m, enum group group, const char *verdict)
{
    bool any = false;
    for (const struct name *n = m->names; n; n = n->hh.next) {
        if (!n->imported || group_of(n->text) != group)
            continue;
        uc_doctor_line(verdict, "%s: %s", n->text, n->users);
        any = true;
    }
    return any;
}

void uc_imports_print(const struct uc_imports *m)
{
    puts("random numbers");
    if (!print_group(m, RANDOM, "ok"))
        uc_doctor_line("-", "no use of getrandom, getentropy or arc4random");
    if (print_group(m, OPTIONAL, "note"))
        uc_doctor_line("note", "on request alone: UNCONTEND_RAND_BYTES=on, UNCONTEND_SYSCALL=on "
                               "(for what is drawn through syscall())");
    puts("reader-writer locks");
    if (!print_group(m, LOCKS, "ok"))
        uc_doctor_line("-", "no use of pthread_rwlock functions");
    for (const struct name *n = m->names; n; n = n->hh.next) {
        if (n->definer[0] && group_of(n->text) == LOCKS) {
            uc_doctor_line("no", "%s defines %s itself: locks are left alone", n->definer, n->text);
            break;
        }
    }
    if (m->sanitized)
        uc_doctor_line("no", "built with a sanitizer: locks are left alone under a race detector");
    puts("signal handlers");
    if (!print_group(m, SIGNAL, "ok"))
        uc_doctor_line("-", "none are installed through libc");
}
