// SPDX-License-Identifier: MIT
// Owns the reading of program files. Each table is checked to lie inside the file before use.
#include "binary.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#endif

enum { SCRIPT_DEPTH = 5, TEXT_SAMPLE = 256 };

// What execvp(3) and all shells give a file to that the kernel does not take.
static const char shell[] = "/bin/sh";

const char uc_binary_go[] = "is a Go program, whose own code calls the kernel itself: only what it "
                            "calls in C libraries is taken over";

struct image {
    const char *at;
    size_t size;
    struct stat st;
};

static int map_file(const char *path, struct image *f)
{
    // O_NONBLOCK: a pipe of that name must not hold us up.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int r = 0;
    *f = (struct image){0};
    if (fd < 0)
        return -errno;
    if (fstat(fd, &f->st) < 0)
        r = -errno;
    else if (!S_ISREG(f->st.st_mode))
        r = S_ISDIR(f->st.st_mode) ? -EISDIR : -EACCES;
    f->size = r == 0 ? (size_t)f->st.st_size : 0;
    if (f->size) {
        f->at = mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (f->at == MAP_FAILED) {
            f->at = NULL;
            f->size = 0;
            r = -errno;
        }
    }
    close(fd);
    return r;
}

static void unmap_file(const struct image *f)
{
    if (f->size)
        munmap((void *)(uintptr_t)f->at, f->size);
}

// count entries of size bytes from offset on, or NULL.
static const void *part(const struct image *f, uint64_t offset, uint64_t count, size_t size)
{
    return offset <= f->size && count <= (f->size - offset) / size && offset % 8 == 0
               ? f->at + offset
               : NULL;
}

static const char *string(const struct image *f, uint64_t offset)
{
    return offset < f->size && memchr(f->at + offset, 0, f->size - offset) ? f->at + offset : NULL;
}

static void look_at_text(const struct image *f, struct uc_binary *b)
{
    size_t n = f->size < TEXT_SAMPLE ? f->size : TEXT_SAMPLE;
    b->kind = memchr(f->at, '\0', n) ? UC_BINARY_OTHER : UC_BINARY_SCRIPT;
    memcpy(b->interpreter, shell, sizeof shell);
}

// Without a word after the mark it is none to the kernel either.
static void look_at_script(const struct image *f, struct uc_binary *b)
{
    const char *end = memchr(f->at, '\n', f->size);
    size_t n = (end ? (size_t)(end - f->at) : f->size) - 2;
    const char *s = f->at + 2;
    for (; n && (*s == ' ' || *s == '\t'); n--)
        s++;
    if (n == 0) {
        look_at_text(f, b);
        return;
    }
    n = n < sizeof b->interpreter ? n : sizeof b->interpreter - 1;
    memcpy(b->interpreter, s, n);
    b->interpreter[n] = '\0';
    b->kind = UC_BINARY_SCRIPT;
}

// Root gains nothing by a set-user-id of root, nor does the file's owner.
static bool gains_privileges(const char *path, const struct stat *st)
{
    return ((st->st_mode & S_ISUID) && st->st_uid != getuid()) ||
           ((st->st_mode & S_ISGID) && (st->st_mode & S_IXGRP) && st->st_gid != getgid()) ||
           (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

// The name of section i, or "".
static const char *section_name(const struct image *f, const Elf64_Ehdr *head,
                                const Elf64_Shdr *sections, size_t i)
{
    const char *s = NULL;
    if (head->e_shstrndx < head->e_shnum)
        s = string(f, sections[head->e_shstrndx].sh_offset + sections[i].sh_name);
    return s ? s : "";
}

static bool made_by_go(const struct image *f, const Elf64_Ehdr *head)
{
    const Elf64_Shdr *sections = part(f, head->e_shoff, head->e_shnum, sizeof *sections);
    for (size_t i = 0; sections && i < head->e_shnum; i++) {
        if (strcmp(section_name(f, head, sections, i), ".go.buildinfo") == 0)
            return true;
    }
    return false;
}

static void look_at_elf(const struct image *f, const char *path, struct uc_binary *b)
{
    const Elf64_Ehdr *head = part(f, 0, 1, sizeof *head);
    if (!head) {
        b->kind = UC_BINARY_OTHER;
        return;
    }
    if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != MACHINE) {
        b->kind = UC_BINARY_CLASS;
        return;
    }
    b->go = made_by_go(f, head);
    b->kind = UC_BINARY_STATIC;
    const Elf64_Phdr *segments = part(f, head->e_phoff, head->e_phnum, sizeof *segments);
    for (size_t i = 0; segments && i < head->e_phnum; i++) {
        const char *s = segments[i].p_type == PT_INTERP ? string(f, segments[i].p_offset) : NULL;
        if (!s)
            continue;
        snprintf(b->interpreter, sizeof b->interpreter, "%s", s);
        const char *slash = strrchr(s, '/');
        bool glibc = strncmp(slash ? slash + 1 : s, "ld-linux", 8) == 0;
        b->kind = glibc ? UC_BINARY_LOADABLE : UC_BINARY_LIBC;
    }
    if (b->kind == UC_BINARY_LOADABLE && gains_privileges(path, &f->st))
        b->kind = UC_BINARY_SECURE;
}

int uc_binary_look(const char *path, struct uc_binary *b)
{
    struct image f;
    *b = (struct uc_binary){.kind = UC_BINARY_LOADABLE};
    int r = map_file(path, &f);
    if (r < 0)
        return r;
    if (f.size == 0)
        b->kind = UC_BINARY_EMPTY;
    else if (f.size > 2 && memcmp(f.at, "#!", 2) == 0)
        look_at_script(&f, b);
    else if (f.size > SELFMAG && memcmp(f.at, ELFMAG, SELFMAG) == 0)
        look_at_elf(&f, path, b);
    else
        look_at_text(&f, b);
    unmap_file(&f);
    return 0;
}

static int try_path(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return errno == ENOTDIR ? -ENOENT : -errno;
    return S_ISREG(st.st_mode) && access(path, X_OK) == 0 ? 0 : -EACCES;
}

// "/usr/bin/env python3 -u" starts python3.
static int interpreter_of(const char *line, char path[static PATH_MAX])
{
    char words[PATH_MAX];
    char *rest = NULL;
    snprintf(words, sizeof words, "%s", line);
    const char *word = strtok_r(words, " \t", &rest);
    snprintf(path, PATH_MAX, "%s", word ? word : "");
    const char *slash = strrchr(path, '/');
    int r = try_path(path);
    if (r < 0 || !slash || strcmp(slash, "/env") != 0)
        return r;
    const char *next = strtok_r(NULL, " \t", &rest);
    while (next && (*next == '-' || strchr(next, '=')))
        next = strtok_r(NULL, " \t", &rest);
    if (!next)
        return 0;
    r = uc_binary_resolve(next, path);
    if (r < 0)
        snprintf(path, PATH_MAX, "%s", next);
    return r;
}

int uc_binary_follow(const char *path, struct uc_binary *b, char last[static PATH_MAX])
{
    snprintf(last, PATH_MAX, "%s", path);
    int r = uc_binary_look(last, b);
    for (int i = 0; r == 0 && b->kind == UC_BINARY_SCRIPT && i < SCRIPT_DEPTH; i++) {
        r = interpreter_of(b->interpreter, last);
        if (r == 0)
            r = uc_binary_look(last, b);
    }
    return r == 0 && b->kind == UC_BINARY_SCRIPT ? -ELOOP : r;
}

int uc_binary_linker_error(const struct uc_binary *b)
{
    return b->interpreter[0] ? try_path(b->interpreter) : 0;
}

const char *uc_binary_obstacle(const struct uc_binary *b)
{
    switch (b->kind) {
    case UC_BINARY_STATIC:
        return b->go ? "is a static Go program, which has no dynamic linker to preload for"
                     : "is statically linked, so it has no dynamic linker to preload for";
    case UC_BINARY_CLASS:
        return "is built for another architecture than the library";
    case UC_BINARY_LIBC:
        return "uses another C library than the GNU one";
    case UC_BINARY_SECURE:
        return "gains privileges when it starts (set-user-ID, set-group-ID or capabilities), so "
               "the dynamic linker ignores preloads";
    case UC_BINARY_EMPTY:
        return "is an empty file, a script that does nothing";
    case UC_BINARY_OTHER:
        return "is neither a program of Linux nor a script";
    default:
        return NULL;
    }
}

int uc_binary_resolve(const char *command, char path[static PATH_MAX])
{
    if (strchr(command, '/')) {
        snprintf(path, PATH_MAX, "%s", command);
        return try_path(path);
    }
    const char *list = getenv("PATH");
    int result = -ENOENT;
    if (!*command)
        return -ENOENT;
    for (list = list ? list : "/bin:/usr/bin";; list++) {
        int n = (int)strcspn(list, ":");
        int length = snprintf(path, PATH_MAX, "%.*s%s%s", n, list, n ? "/" : "./", command);
        int r = length < PATH_MAX ? try_path(path) : -ENOENT;
        if (r == 0)
            return 0;
        if (r == -EACCES)
            result = r;
        list += n;
        if (!*list)
            return result;
    }
}
