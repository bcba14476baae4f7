// SPDX-License-Identifier: MIT
// What every program in tests/preload needs: a failed claim told with its place, children that are
// run and collected, pipes read to the end, memory shared with children, a deadline. It owns
// SIGALRM once check_deadline() was called. It must not allocate, use stdio or draw random
// numbers: it runs in children of vfork, in signal handlers and before main.
#ifndef CHECK_H
#define CHECK_H

// Included first, so that what the C library hides by default is declared.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHECK_PASS = 0, CHECK_FAILED = 1, CHECK_SKIPPED = 77 };

// End the whole process at once, from any thread, child or handler, without exit handlers.
#define FAIL(...) check_end(CHECK_FAILED, __FILE__, __LINE__, __VA_ARGS__)
#define SKIP(...) check_end(CHECK_SKIPPED, __FILE__, __LINE__, __VA_ARGS__)

// CHECK(condition, "printf format of what came", ...)
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            check_say(__FILE__, __LINE__, "expected: %s", #condition);                             \
            FAIL(__VA_ARGS__);                                                                     \
        }                                                                                          \
    } while (0)

// CHECK_IS(integer expression, value wanted)
#define CHECK_IS(expression, wanted)                                                               \
    do {                                                                                           \
        long long check_got_ = (long long)(expression), check_want_ = (long long)(wanted);         \
        if (check_got_ != check_want_)                                                             \
            FAIL("%s: expected %lld, got %lld", #expression, check_want_, check_got_);             \
    } while (0)

// Value of a call that reports errors by a negative value and errno.
#define CHECK_CALL(call)                                                                           \
    ({                                                                                             \
        __typeof__(call) check_value_ = (call);                                                    \
        if (check_value_ < 0)                                                                      \
            FAIL("%s: %s", #call, strerror(errno));                                                \
        check_value_;                                                                              \
    })

__attribute__((unused, format(printf, 3, 0))) static void
check_vsay(const char *file, int line, const char *format, va_list args)
{
    char text[512];
    int saved = errno;
    const char *base = strrchr(file, '/');
    int used = snprintf(text, sizeof(text), "%s:%d: ", base ? base + 1 : file, line);
    int more = vsnprintf(text + used, sizeof(text) - (size_t)used - 1, format, args);

    used = used + more < (int)sizeof(text) - 2 ? used + more : (int)sizeof(text) - 2;
    text[used++] = '\n';
    if (write(STDERR_FILENO, text, (size_t)used) < 0) {
        // Nowhere left to tell it; the exit status still does.
    }
    errno = saved;
}

// One line on stderr, nothing else.
__attribute__((unused, format(printf, 3, 4))) static void check_say(const char *file, int line,
                                                                    const char *format, ...)
{
    va_list args;

    va_start(args, format);
    check_vsay(file, line, format, args);
    va_end(args);
}

__attribute__((unused, noreturn, format(printf, 4, 5))) static void
check_end(int status, const char *file, int line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    check_vsay(file, line, format, args);
    va_end(args);
    _exit(status);
}

// True when the long form of the tests was asked for.
static inline int check_long(void)
{
    const char *value = getenv("UC_TEST_LONG");

    return value && strcmp(value, "1") == 0;
}

// A count: the usual one, or the one of the long form.
static inline long check_count(long usual, long in_long_form)
{
    return check_long() ? in_long_form : usual;
}

static inline void check_deadline_passed(int signal_number)
{
    static const char text[] = "deadline passed: hung, or far too slow\n";

    (void)signal_number;
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) {
        // The exit status tells it.
    }
    _exit(CHECK_FAILED);
}

// This process fails when it still runs after that many seconds, thirty times that in the long
// form. A child has no deadline until it sets its own; check_child() does.
static inline void check_deadline(unsigned seconds)
{
    struct sigaction action;
    sigset_t only;

    memset(&action, 0, sizeof(action));
    action.sa_handler = check_deadline_passed;
    CHECK_CALL(sigaction(SIGALRM, &action, NULL));
    sigemptyset(&only);
    sigaddset(&only, SIGALRM);
    CHECK_IS(pthread_sigmask(SIG_UNBLOCK, &only, NULL), 0);
    alarm(check_long() ? 30 * seconds : seconds);
}

// Fork a child that runs `body(arg)` and exits with its value, without exit handlers.
static inline pid_t check_child(int (*body)(void *), void *arg)
{
    pid_t pid = CHECK_CALL(fork());

    if (pid == 0) {
        check_deadline(10);
        _exit(body(arg));
    }
    return pid;
}

// Wait for a child. Returns its exit status, or minus the number of the signal that ended it.
static inline int check_collect(pid_t pid)
{
    int status = 0;
    pid_t got;

    do
        got = waitpid(pid, &status, __WALL);
    while (got < 0 && errno == EINTR);
    if (got != pid)
        FAIL("waitpid(%d): got %d, %s", (int)pid, (int)got, strerror(errno));
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static inline int check_in_child(int (*body)(void *), void *arg)
{
    return check_collect(check_child(body, arg));
}

static inline pthread_t check_thread(void *(*body)(void *), void *arg)
{
    pthread_t thread;

    CHECK_IS(pthread_create(&thread, NULL, body, arg), 0);
    return thread;
}

static inline void *check_join(pthread_t thread)
{
    void *result = NULL;

    CHECK_IS(pthread_join(thread, &result), 0);
    return result;
}

// Zeroed memory that this process and its later children share.
static inline void *check_shared(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    CHECK(at != MAP_FAILED, "mmap of %zu shared bytes: %s", bytes, strerror(errno));
    return at;
}

// Write all of it.
static inline void check_write(int fd, const void *data, size_t bytes)
{
    const char *from = (const char *)data;

    while (bytes > 0) {
        ssize_t done = write(fd, from, bytes);

        if (done < 0 && errno == EINTR)
            continue;
        CHECK(done > 0, "write to descriptor %d: %s", fd, strerror(errno));
        from += done;
        bytes -= (size_t)done;
    }
}

// Read until `bytes` are there or the other end is closed. Returns how many came.
static inline size_t check_read(int fd, void *data, size_t bytes)
{
    char *to = (char *)data;
    size_t have = 0;

    while (have < bytes) {
        ssize_t done = read(fd, to + have, bytes - have);

        if (done < 0 && errno == EINTR)
            continue;
        CHECK(done >= 0, "read from descriptor %d: %s", fd, strerror(errno));
        if (done == 0)
            break;
        have += (size_t)done;
    }
    return have;
}

#endif
