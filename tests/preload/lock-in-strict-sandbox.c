// SPDX-License-Identifier: MIT
// claim: a program that a sandbox allows only to read, write and exit can go on using its locks
// matrix: locks
//
// Anything else kills it. libc makes no system call for a lock that nobody else holds.
#include "lib/locks.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

static pthread_rwlock_t read_before, never_used, held_over_it;

static void enter_sandbox(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {LOCKS_COUNT(code), code};

    CHECK_CALL(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHECK_CALL(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0));
}

static void use(pthread_rwlock_t *lock)
{
    for (int round = 0; round < 3; round++) {
        read_times(lock, WARM_READS);
        CHECK_IS(pthread_rwlock_rdlock(lock), 0);
        CHECK_IS(pthread_rwlock_rdlock(lock), 0);
        CHECK_IS(pthread_rwlock_trywrlock(lock), EBUSY);
        release(lock);
        release(lock);
        CHECK_IS(pthread_rwlock_wrlock(lock), 0);
        CHECK_IS(pthread_rwlock_rdlock(lock), EDEADLK);
        CHECK_IS(pthread_rwlock_tryrdlock(lock), EBUSY);
        release(lock);
        CHECK_IS(pthread_rwlock_trywrlock(lock), 0);
        release(lock);
    }
}

static int sandboxed(void *used_before)
{
    if (used_before) {
        read_times(&read_before, 2 * WARM_READS);
        read_times(&held_over_it, 2 * WARM_READS);
        CHECK_IS(pthread_rwlock_rdlock(&held_over_it), 0);
    }
    enter_sandbox();
    use(&read_before);
    use(&never_used);
    if (used_before)
        release(&held_over_it);
    use(&held_over_it);
    CHECK_IS(pthread_rwlock_init(&held_over_it, NULL), 0);
    use(&held_over_it);
    CHECK_IS(pthread_rwlock_destroy(&held_over_it), 0);
    return 0;
}

static void *warm_and_go(void *arg)
{
    read_times(arg, WARM_READS);
    return NULL;
}

int main(void)
{
    locks_deadline();
    CHECK_IS(check_in_child(sandboxed, NULL), 0);
    CHECK_IS(check_in_child(sandboxed, &read_before), 0);
    // A program that had threads and has none now.
    check_join(check_thread(warm_and_go, &read_before));
    CHECK_IS(check_in_child(sandboxed, NULL), 0);
    CHECK_IS(check_in_child(sandboxed, &read_before), 0);
    return sandboxed(&read_before);
}
