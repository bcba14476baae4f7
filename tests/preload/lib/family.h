// SPDX-License-Identifier: MIT
// Every way to make a child that goes on in a copy of the caller's memory, or in the memory itself.
// The body runs in the child, on the caller's stack unless the way needs its own, and may not
// return to the caller of family_child().
#ifndef FAMILY_H
#define FAMILY_H

#include "check.h"
#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>

#pragma weak _Fork

enum family_way {
    FAMILY_FORK,
    FAMILY__FORK,
    FAMILY_SYS_FORK,
    FAMILY_SYS_CLONE,
    FAMILY_SYS_CLONE3,
    FAMILY_CLONE,
    FAMILY_COPIES, // the ways above give the child a copy; those below lend it the parent's memory
    FAMILY_VFORK = FAMILY_COPIES,
    FAMILY_SPAWN,
    FAMILY_WAYS
};

static const char *const family_names[FAMILY_WAYS] = {
    "fork",    "_Fork", "syscall(SYS_fork)",           "syscall(SYS_clone)", "syscall(SYS_clone3)",
    "clone()", "vfork", "clone(CLONE_VM|CLONE_VFORK)",
};

struct family_body {
    void (*run)(void *);
    void *arg;
};

static inline int family_on_stack(void *arg)
{
    const struct family_body *body = (const struct family_body *)arg;

    body->run(body->arg);
    _exit(0);
}

// fork() by the ways that return twice on the same stack.
static inline pid_t family_fork(enum family_way way)
{
    struct clone_args args;

    long pid;

    switch (way) {
    case FAMILY__FORK:
        return _Fork ? _Fork() : fork();
    case FAMILY_SYS_FORK:
#ifdef SYS_fork // newer CPUs never had it
        return (pid_t)syscall(SYS_fork);
#endif
    case FAMILY_SYS_CLONE:
        return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    case FAMILY_SYS_CLONE3:
        memset(&args, 0, sizeof(args));
        args.exit_signal = SIGCHLD;
        pid = syscall(SYS_clone3, &args, sizeof(args));
        if (pid >= 0 || errno != ENOSYS)
            return (pid_t)pid;
        return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL); // old, or emulated
    default:
        return fork();
    }
}

// Not inlined: the child of vfork() shares this frame, which must not be the caller's.
__attribute__((unused, noinline)) static pid_t family_vfork(struct family_body body)
{
    pid_t pid = vfork();

    if (pid == 0)
        family_on_stack(&body);
    return pid;
}

static inline pid_t family_clone(int flags, struct family_body *body)
{
    enum { STACK = 256 * 1024 };
    char *stack = (char *)mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    pid_t pid;

    CHECK(stack != MAP_FAILED, "mmap of a stack: %s", strerror(errno));
    pid = clone(family_on_stack, stack + STACK, flags | SIGCHLD, body);
    CHECK_CALL(munmap(stack, STACK));
    return pid;
}

// A child made that way runs `run(arg)` and exits with 0. Returns its pid; with vfork and spawn it
// has ended by then, but is not yet collected.
static inline pid_t family_child(enum family_way way, void (*run)(void *), void *arg)
{
    struct family_body body = {run, arg};
    pid_t pid;

    if (way == FAMILY_VFORK)
        pid = family_vfork(body);
    else if (way == FAMILY_SPAWN)
        pid = family_clone(CLONE_VM | CLONE_VFORK, &body);
    else if (way == FAMILY_CLONE)
        pid = family_clone(0, &body);
    else {
        pid = family_fork(way);
        if (pid == 0)
            family_on_stack(&body);
    }
    CHECK(pid > 0, "no child by %s: %s", family_names[way], strerror(errno));
    return pid;
}

#endif
