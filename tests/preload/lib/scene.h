// SPDX-License-Identifier: MIT
// Runs a part of the test program, a scene, as a program of its own with the preload and wanted
// settings, and reads how many read locks were fast from the statistics that SIGUSR1 makes it
// print. For programs that are themselves run without the preload.
#ifndef SCENE_H
#define SCENE_H

#include "locks.h"

struct scene {
    const char *name;
    void (*run)(void);
    const char *locks, *eager; // UNCONTEND_LOCKS; UNCONTEND_TEST_EAGER_BIAS or NULL
    long least, most;          // fast reads
};

static inline void scene_become(const struct scene *scene, int number, int error_fd)
{
    const char *library = getenv("UC_TEST_LIB");
    char argument[16];

    CHECK(library, "UC_TEST_LIB is not set");
    CHECK_CALL(setenv("LD_PRELOAD", library, 1));
    CHECK_CALL(setenv("UNCONTEND_LOCKS", scene->locks, 1));
    if (scene->eager)
        CHECK_CALL(setenv("UNCONTEND_TEST_EAGER_BIAS", scene->eager, 1));
    unsetenv("UC_TEST_LIB");
    unsetenv("UC_TEST_TOOL");
    snprintf(argument, sizeof(argument), "%d", number);
    CHECK_CALL(dup2(error_fd, STDERR_FILENO));
    execl("/proc/self/exe", "scene", argument, (char *)NULL);
    FAIL("exec: %s", strerror(errno));
}

static inline long scene_value(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = text; (at = strstr(at, name)) != NULL; at += length) {
        bool whole = at == text || at[-1] == '\n' || at[-1] == ' ' || at[-1] == '\t';
        char *end;
        long value;

        if (!whole || (at[length] != ' ' && at[length] != '\t'))
            continue;
        value = strtol(at + length, &end, 10);
        if (end > at + length)
            return value;
    }
    FAIL("no line '%s NUMBER' in: %s", name, text);
}

static inline void scene_play(const struct scene *scene, int number)
{
    static char text[1 << 16];
    int ends[2];
    pid_t pid;
    long fast;

    CHECK_CALL(pipe(ends));
    pid = CHECK_CALL(fork());
    if (pid == 0)
        scene_become(scene, number, ends[1]);
    close(ends[1]);
    text[check_read(ends[0], text, sizeof(text) - 1)] = '\0';
    close(ends[0]);
    CHECK(check_collect(pid) == 0, "%s: the program failed: %s", scene->name, text);
    fast = scene_value(text, "lock_read_fast");
    CHECK(fast >= scene->least && fast <= scene->most,
          "%s: lock_read_fast is %ld, expected %ld to %ld", scene->name, fast, scene->least,
          scene->most);
}

// The whole of main().
static inline int scenes_main(int argc, char **argv, const struct scene *scenes, int count)
{
    locks_deadline();
    if (argc > 1) {
        scenes[atoi(argv[1])].run();
        CHECK_CALL(raise(SIGUSR1));
        return 0;
    }
    for (int i = 0; i < count; i++)
        scene_play(&scenes[i], i);
    return 0;
}

#endif
