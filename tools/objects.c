// SPDX-License-Identifier: MIT
// Owns the talk with the dynamic linker.
#include "objects.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "maps.h"

// "	libz.so.1 => /lib/libz.so.1 (0x7f...)", or the path alone.
static void add_listed(FILE *list, uc_objects_fn *fn, void *context)
{
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, list) > 0) {
        char *path = strchr(line, '/');
        char *end = path ? strstr(path, " (0x") : NULL;
        if (!end)
            continue;
        *end = '\0';
        fn(context, path, false);
    }
    free(line);
}

// What the environment would be without LD_PRELOAD, which is for the command, not for the linker.
static char **without_preload(void)
{
    size_t n = 0;
    while (environ[n])
        n++;
    char **all = calloc(n + 1, sizeof *all);
    for (size_t i = 0, to = 0; all && i < n; i++) {
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
            all[to++] = environ[i];
    }
    return all;
}

bool uc_objects_of_command(const char *path, const char *linker, uc_objects_fn *fn, void *context)
{
    static const char *const known[] = {"/lib64/ld-linux-x86-64.so.2",
                                        "/lib/ld-linux-aarch64.so.1"};
    bool trusted = false;
    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    fn(context, path, true);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        trusted |= strcmp(linker, known[i]) == 0;
    if (!trusted || pipe2(ends, O_CLOEXEC) < 0)
        return false;
    char **environment = without_preload();
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    char *argv[] = {(char *)(uintptr_t)linker, "--list", (char *)(uintptr_t)path, NULL};
    int r = environment ? posix_spawn(&child, linker, &actions, NULL, argv, environment) : ENOMEM;
    free(environment);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *list = fdopen(ends[0], "r");
    if (list) {
        if (r == 0)
            add_listed(list, fn, context);
        fclose(list);
    }
    int status = -1;
    while (r == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status == 0;
}

struct mapped {
    pid_t pid;
    uc_objects_fn *fn;
    void *context;
    char last[PATH_MAX];
};

static bool give_mapped(void *context, const struct uc_mapped *o)
{
    struct mapped *m = context;
    char path[PATH_MAX];
    if (strcmp(o->path, m->last) == 0)
        return true;
    snprintf(m->last, sizeof m->last, "%s", o->path);
    // The file as the process sees it: it may have another root.
    if (snprintf(path, sizeof path, "/proc/%d/root%s", (int)m->pid, o->path) < (int)sizeof path)
        m->fn(m->context, path, o->program);
    return true;
}

bool uc_objects_of_process(pid_t pid, uc_objects_fn *fn, void *context)
{
    struct mapped m = {.pid = pid, .fn = fn, .context = context};
    return uc_maps_each(pid, give_mapped, &m) == 0;
}

bool uc_objects_is_libc(const char *name)
{
    static const char *const beginnings[] = {"libc.so", "ld-linux", "libpthread"};
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    }
    return false;
}
