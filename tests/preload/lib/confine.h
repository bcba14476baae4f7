// SPDX-License-Identifier: MIT
// A filter as a program sets it up that shuts itself in: some system calls are the end of the
// process, all others go on. It is set up by libc's own functions, of which a preload hears;
// fault.h has those that nobody is to hear of.
#ifndef CONFINE_H
#define CONFINE_H

#include "../../fault/fault.h"
#include "check.h"

enum { CONFINE_ONE_THREAD = 0, CONFINE_ALL_THREADS = SECCOMP_FILTER_FLAG_TSYNC, CONFINE_CALLS = 4 };

static inline void confine_by(unsigned threads, struct sock_filter *code, size_t count)
{
    struct sock_fprog program = {(unsigned short)count, code};

    CHECK_CALL(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHECK_IS(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, threads, &program), 0);
}

// calls: up to CONFINE_CALLS numbers, a negative one ends them.
static inline void confine(unsigned threads, const int calls[])
{
    struct sock_filter code[2 + 2 * CONFINE_CALLS] = {FAULT_LOAD(nr)};
    size_t count = 1;

    for (int i = 0; i < CONFINE_CALLS && calls[i] >= 0; i++) {
        code[count++] = (struct sock_filter)FAULT_UNLESS((unsigned)calls[i], 1);
        code[count++] = (struct sock_filter)FAULT_RETURN(SECCOMP_RET_KILL_PROCESS);
    }
    code[count++] = (struct sock_filter)FAULT_RETURN(SECCOMP_RET_ALLOW);
    confine_by(threads, code, count);
}

#define CONFINE(threads, ...) confine(threads, (const int[CONFINE_CALLS + 1]){__VA_ARGS__, -1})

#endif
