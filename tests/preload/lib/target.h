// SPDX-License-Identifier: MIT
// Runs the programs of tests/targets, with what the test itself was preloaded with, and reads what
// they print.
#ifndef TARGET_H
#define TARGET_H

#include "check.h"

#include <poll.h>

struct target {
    const char *counters;    // UNCONTEND_COUNTERS; NULL: not set
    const char *behind;      // a library of build/tests/targets to preload behind ours; NULL: none
    const char *settings[4]; // "NAME=VALUE"
    int status;
    char out[8192];
    char err[16384];
};

// build/tests/targets, from where this test's program is.
static inline const char *target_directory(void)
{
    static char path[1024];
    ssize_t n = CHECK_CALL(readlink("/proc/self/exe", path, sizeof(path) - 32));

    path[n] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');

        CHECK(slash, "no directory above %s", path);
        *slash = '\0';
    }
    return strcat(path, "/targets");
}

static inline void target_environment(const struct target *t)
{
    if (t->counters)
        setenv("UNCONTEND_COUNTERS", t->counters, 1);
    for (size_t i = 0; i < sizeof(t->settings) / sizeof(t->settings[0]) && t->settings[i]; i++)
        putenv(strdup(t->settings[i]));
    if (t->behind) {
        char preload[4096];

        snprintf(preload, sizeof(preload), "%s:%s/%s", getenv("LD_PRELOAD"), target_directory(),
                 t->behind);
        setenv("LD_PRELOAD", preload, 1);
    }
}

// Both pipes to the end.
static inline void target_collect(struct target *t, int out, int err)
{
    struct pollfd fds[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
    char *to[2] = {t->out, t->err};
    size_t room[2] = {sizeof(t->out) - 1, sizeof(t->err) - 1};

    for (int open = 2; open > 0;) {
        CHECK_CALL(poll(fds, 2, -1));
        for (int i = 0; i < 2; i++) {
            if (fds[i].fd < 0 || !fds[i].revents)
                continue;
            ssize_t n = read(fds[i].fd, to[i], room[i]);

            if (n > 0) {
                to[i] += n;
                room[i] -= (size_t)n;
            } else {
                close(fds[i].fd);
                fds[i].fd = -1;
                open--;
            }
        }
    }
    *to[0] = '\0';
    *to[1] = '\0';
}

// Runs build/tests/targets/NAME with up to six arguments, "" or NULL ends them. In its directory.
static inline void target_run(struct target *t, const char *name, const char *const arguments[])
{
    const char *argv[8] = {name};
    int out[2], err[2];

    for (int i = 0; i < 6 && arguments[i]; i++)
        argv[i + 1] = arguments[i];
    CHECK_CALL(pipe(out));
    CHECK_CALL(pipe(err));
    pid_t pid = CHECK_CALL(fork());

    if (pid == 0) {
        char path[256];

        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        for (int i = 0; i < 2; i++) {
            close(out[i]);
            close(err[i]);
        }
        target_environment(t);
        CHECK_CALL(chdir(target_directory()));
        snprintf(path, sizeof(path), "./%s", name);
        execv(path, (char *const *)argv);
        _exit(127);
    }
    close(out[1]);
    close(err[1]);
    target_collect(t, out[0], err[0]);
    t->status = check_collect(pid);
}

// The number behind "key=" in the target's output, from its nth line on (0 is the first).
static inline long target_number_in(const struct target *t, int line, const char *key)
{
    const char *at = t->out;
    size_t n = strlen(key);

    while (at && line-- > 0) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    for (; at && *at && *at != '\n'; at++) {
        if (strncmp(at, key, n) == 0 && at[n] == '=' &&
            (at == t->out || at[-1] == ' ' || at[-1] == '\n'))
            return strtol(at + n + 1, NULL, 10);
    }
    FAIL("no %s in what the target printed: '%s', stderr '%s', status %d", key, t->out, t->err,
         t->status);
}

static inline long target_number(const struct target *t, const char *key)
{
    return target_number_in(t, 0, key);
}

static inline int target_lines(const char *text)
{
    int n = 0;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

#define TARGET_IS(t, key, wanted)                                                                  \
    CHECK(target_number(t, key) == (long)(wanted), "%s: expected %ld; it printed %s%s", key,       \
          (long)(wanted), (t)->out, (t)->err)

// Whether this run takes all ways away to change code: then nothing may be replaced, and nothing
// may break.
static inline int target_unpatched(void)
{
    return getenv("TEST_UNPATCHED") != NULL;
}

#endif
