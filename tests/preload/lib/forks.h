// SPDX-License-Identifier: MIT
// The ways a process can get a child that is a copy of it, those that no atfork handler hears of
// included. Must not be used where the child has to run exit handlers.
#ifndef FORKS_H
#define FORKS_H

#include "check.h"

#include <sys/syscall.h>

static inline pid_t fork_by_raw_clone(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

#ifdef SYS_fork // newer CPUs never had it
static inline pid_t fork_by_raw_fork(void)
{
    return (pid_t)syscall(SYS_fork);
}
#else
#define fork_by_raw_fork fork_by_raw_clone
#endif

static const struct fork_way {
    const char *name;
    pid_t (*fork)(void);
    bool keeps_tid; // libc in the child still believes in the parent's thread id
} fork_ways[] = {
    {"fork", fork, false},
    {"_Fork", _Fork, false},
    {"SYS_fork", fork_by_raw_fork, true},
    {"SYS_clone", fork_by_raw_clone, true},
};

enum { FORK_WAYS = 4 };

// Run `body(arg)` in a child made that way. Returns what check_collect() does.
static inline int fork_and_run(const struct fork_way *way, int (*body)(void *), void *arg)
{
    pid_t pid = CHECK_CALL(way->fork());

    if (pid == 0) {
        check_deadline(10);
        _exit(body(arg));
    }
    return check_collect(pid);
}

#endif
