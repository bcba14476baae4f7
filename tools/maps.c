// SPDX-License-Identifier: MIT
// Owns the form of a line there.
#include "maps.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// False: not the beginning of a file, or not to be read.
static bool read_line(char *line, struct uc_mapped *m)
{
    unsigned long from;
    unsigned long to;
    unsigned long offset;
    unsigned long inode;
    char mode[5];
    int at = 0;
    if (sscanf(line, "%lx-%lx %4s %lx %*s %lu %n", &from, &to, mode, &offset, &inode, &at) < 5 ||
        offset != 0 || inode == 0 || mode[0] != 'r' || at == 0 || line[at] != '/')
        return false;
    line[strcspn(line, "\n")] = '\0';
    *m = (struct uc_mapped){
        .from = from,
        .to = to,
        .path = line + at,
        .name = strrchr(line + at, '/') + 1,
    };
    return true;
}

int uc_maps_each(pid_t pid, uc_maps_fn *fn, void *context)
{
    char path[32];
    char program[PATH_MAX];
    char *line = NULL;
    size_t capacity = 0;
    struct uc_mapped m;
    bool more = true;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    ssize_t n = readlink(path, program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "re");
    if (!maps)
        return errno == ENOENT ? -ESRCH : -errno;
    while (more && getline(&line, &capacity, maps) > 0) {
        if (!read_line(line, &m))
            continue;
        m.program = strcmp(m.path, program) == 0;
        more = fn(context, &m);
    }
    int r = ferror(maps) ? -EACCES : 0;
    free(line);
    fclose(maps);
    return r;
}

struct wanted {
    const char *prefix;
    bool found;
};

static bool find_name(void *context, const struct uc_mapped *m)
{
    struct wanted *w = context;
    w->found = strncmp(m->name, w->prefix, strlen(w->prefix)) == 0;
    return !w->found;
}

bool uc_maps_have(pid_t pid, const char *prefix, int *error)
{
    struct wanted w = {.prefix = prefix};
    int r = uc_maps_each(pid, find_name, &w);
    if (error)
        *error = r;
    return w.found;
}
