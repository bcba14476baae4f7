// SPDX-License-Identifier: MIT
// What the tests of the command share: the command run with what it said, and a program that was
// started with the library and has told that it is ready.
#ifndef TOOL_H
#define TOOL_H

#include "check.h"
#include <fcntl.h>
#include <poll.h>

// The last run of the command.
static char tool_out[1 << 17], tool_err[1 << 14];

static inline const char *tool_from(const char *variable)
{
    const char *value = getenv(variable);

    if (!value)
        SKIP("%s is not set: run this through tests/run", variable);
    return value;
}

// In a child: becomes the command.
__attribute__((noreturn)) static inline void tool_become(const char *const *words)
{
    char *argv[32] = {(char *)(uintptr_t)tool_from("UC_TEST_TOOL")};

    for (int i = 0; words[i] && i < 30; i++)
        argv[i + 1] = (char *)(uintptr_t)words[i];
    // They are for the tests; to the command they would be settings that it does not know.
    unsetenv("UC_TEST_TOOL");
    unsetenv("UC_TEST_LIB");
    execv(argv[0], argv);
    _exit(125);
}

// Both pipes are read as they fill, so that neither end waits for the other.
static inline void tool_read_both(int out, int err)
{
    struct pollfd p[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
    char *at[2] = {tool_out, tool_err};
    size_t room[2] = {sizeof(tool_out) - 1, sizeof(tool_err) - 1};

    while (p[0].fd >= 0 || p[1].fd >= 0) {
        if (poll(p, 2, -1) < 0 && errno == EINTR)
            continue;
        for (int i = 0; i < 2; i++) {
            ssize_t n;

            if (p[i].fd < 0 || !p[i].revents)
                continue;
            CHECK(room[i] > 0, "the command says more than fits");
            n = read(p[i].fd, at[i], room[i]);
            if (n <= 0) {
                close(p[i].fd);
                p[i].fd = -1;
                n = 0;
            }
            at[i] += n;
            room[i] -= (size_t)n;
        }
    }
    *at[0] = *at[1] = '\0';
}

// Runs the command with these words, NULL-terminated. Returns its exit status, or minus the signal.
static inline int tool_words(const char *const *words)
{
    int out[2], err[2];
    pid_t pid;

    CHECK_CALL(pipe2(out, O_CLOEXEC));
    CHECK_CALL(pipe2(err, O_CLOEXEC));
    pid = CHECK_CALL(fork());
    if (pid == 0) {
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        tool_become(words);
    }
    close(out[1]);
    close(err[1]);
    tool_read_both(out[0], err[0]);
    return check_collect(pid);
}

#define TOOL(...) tool_words((const char *const[]){__VA_ARGS__, NULL})

// Expects an exit status and a piece of what was said on stderr ("" for nothing at all).
#define TOOL_IS(status, said, ...)                                                                 \
    do {                                                                                           \
        int tool_got_ = TOOL(__VA_ARGS__);                                                         \
                                                                                                   \
        if (tool_got_ != (status) || (*(said) ? !strstr(tool_err, said) : tool_err[0]))            \
            FAIL("%s: expected status %d and '%s', got %d, out: %s, err: %s", #__VA_ARGS__,        \
                 status, said, tool_got_, tool_out, tool_err);                                     \
    } while (0)

static inline const char *tool_number(long number)
{
    static char text[4][24];
    static unsigned turn;

    snprintf(text[turn % 4], sizeof(text[0]), "%ld", number);
    return text[turn++ % 4];
}

// The number behind "name": in the last output's JSON, from `at` on; fails without it.
static inline uint64_t tool_json(const char *at, const char *name)
{
    char key[64];

    snprintf(key, sizeof(key), "\"%s\":", name);
    at = strstr(at, key);
    CHECK(at != NULL, "no %s in: %s", key, tool_out);
    return strtoull(at + strlen(key), NULL, 10);
}

// Starts `body` in a copy of this program under the library: main() must call tool_target() first.
// Returns when the copy has told that it is ready; it ends when `*leash` is closed.
static inline pid_t tool_start(const char *role, char *const *settings, int *leash)
{
    const char *library = tool_from("UC_TEST_LIB");
    char path[4096], preload[4200], byte;
    ssize_t n = CHECK_CALL(readlink("/proc/self/exe", path, sizeof(path) - 1));
    int hold[2], ready[2];
    pid_t pid;

    path[n] = '\0';
    CHECK_CALL(pipe2(hold, O_CLOEXEC));
    CHECK_CALL(pipe2(ready, O_CLOEXEC));
    pid = CHECK_CALL(fork());
    if (pid == 0) {
        char *argv[] = {path, (char *)(uintptr_t)role, NULL};

        unsetenv("UC_TEST_TOOL");
        unsetenv("UC_TEST_LIB");
        snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", library);
        if (*library)
            putenv(preload);
        for (; settings && *settings; settings++)
            putenv(*settings);
        dup2(hold[0], STDIN_FILENO);
        dup2(ready[1], STDOUT_FILENO);
        execv(path, argv);
        _exit(125);
    }
    close(hold[0]);
    close(ready[1]);
    CHECK(check_read(ready[0], &byte, 1) == 1, "%s does not start", role);
    close(ready[0]);
    *leash = hold[1];
    return pid;
}

// In the copy: ready; then until the leash is let go.
static inline void tool_wait(void)
{
    char byte;

    check_write(STDOUT_FILENO, "r", 1);
    (void)check_read(STDIN_FILENO, &byte, 1);
}

static inline void tool_end(pid_t pid, int leash)
{
    close(leash);
    CHECK_IS(check_collect(pid), 0);
}

#endif
