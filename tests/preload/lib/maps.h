// SPDX-License-Identifier: MIT
// The mappings of a process as /proc tells them, one callback for each. It must not allocate: what
// it looks at would change.
#ifndef MAPS_H
#define MAPS_H

#include "check.h"
#include <fcntl.h>

struct maps_entry {
    uintptr_t from, to;
    char rights[5]; // as in "rw-p"
    char name[200];
    char flags[100]; // of smaps, each flag with a space on either side: " rd wr mr "
};

static inline int maps_has(const struct maps_entry *entry, const char *flag)
{
    char padded[8];

    snprintf(padded, sizeof(padded), " %s ", flag);
    return strstr(entry->flags, padded) != NULL;
}

// A line at a time out of a descriptor.
struct maps_lines {
    int fd;
    size_t used, next;
    char text[8192];
};

static inline char *maps_line(struct maps_lines *lines)
{
    for (;;) {
        char *start = lines->text + lines->next;
        char *end = (char *)memchr(start, '\n', lines->used - lines->next);
        ssize_t got;

        if (end) {
            *end = 0;
            lines->next = (size_t)(end + 1 - lines->text);
            return start;
        }
        memmove(lines->text, start, lines->used - lines->next);
        lines->used -= lines->next;
        lines->next = 0;
        CHECK(lines->used < sizeof(lines->text), "a line of /proc longer than any");
        got = CHECK_CALL(
            read(lines->fd, lines->text + lines->used, sizeof(lines->text) - lines->used));
        if (got == 0)
            return NULL;
        lines->used += (size_t)got;
    }
}

// visit(entry, arg) for each mapping of process `pid`. The flags are there when `flags` is set.
static inline void maps_visit(pid_t pid, int flags,
                              void (*visit)(const struct maps_entry *, void *), void *arg)
{
    struct maps_lines lines;
    struct maps_entry entry;
    char path[64], *line;

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, flags ? "smaps" : "maps");
    lines.used = lines.next = 0;
    lines.fd = CHECK_CALL(open(path, O_RDONLY | O_CLOEXEC));
    memset(&entry, 0, sizeof(entry));
    while ((line = maps_line(&lines)) != NULL) {
        unsigned long from, to;
        int name = 0;

        if (strncmp(line, "VmFlags:", 8) == 0) {
            snprintf(entry.flags, sizeof(entry.flags), " %s ", line + 9);
            visit(&entry, arg);
        } else if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %n", &from, &to, entry.rights, &name) ==
                       3 &&
                   name > 0) {
            entry.from = from;
            entry.to = to;
            snprintf(entry.name, sizeof(entry.name), "%s", line + name);
            if (!flags)
                visit(&entry, arg);
        }
    }
    close(lines.fd);
}

static inline void maps_count_one(const struct maps_entry *entry, void *count)
{
    (void)entry;
    ++*(size_t *)count;
}

static inline size_t maps_count(void)
{
    size_t count = 0;

    maps_visit(getpid(), 0, maps_count_one, &count);
    return count;
}

// The pages that a generator keeps its state in: droppable ones, where there are any; else those
// that are wiped on fork. A page or two of the latter alone are no state but a mark that says "this
// is a child", which the kernel clears in children only.
struct maps_wiped {
    int droppable;
    size_t count;
    struct {
        uintptr_t from, to;
    } range[64];
};

static inline void maps_wiped_one(const struct maps_entry *entry, void *arg)
{
    struct maps_wiped *wiped = (struct maps_wiped *)arg;
    int droppable = maps_has(entry, "dp");

    if (droppable && !wiped->droppable) {
        wiped->droppable = 1;
        wiped->count = 0;
    }
    if (wiped->droppable ? !droppable
                         : !maps_has(entry, "wf") || entry->to - entry->from <= 2 * 4096)
        return;
    CHECK(wiped->count < 64, "more than 64 mappings that are wiped");
    wiped->range[wiped->count].from = entry->from;
    wiped->range[wiped->count++].to = entry->to;
}

static inline void maps_find_wiped(struct maps_wiped *wiped)
{
    wiped->droppable = 0;
    wiped->count = 0;
    maps_visit(getpid(), 1, maps_wiped_one, wiped);
}

// What the kernel does to droppable pages when memory is short: all their bytes are zero from now
// on.
static inline void maps_wipe(const struct maps_wiped *wiped)
{
    for (size_t i = 0; i < wiped->count; i++)
        madvise((void *)wiped->range[i].from, wiped->range[i].to - wiped->range[i].from,
                MADV_DONTNEED);
}

#endif
