// SPDX-License-Identifier: MIT
// A daemon shuts itself in with an allow-list of what its libc needs; any other call ends it.
// claim: a program with threads, biased locks and a handler for SIGUSR1 that sets up a filter that
// kills for membarrier and rt_sigprocmask goes on writing its locks and gets its signal
// run: UNCONTEND_TEST_EAGER_BIAS=on
// run: UNCONTEND_TEST_EAGER_BIAS=on UNCONTEND_DUMP_AT_EXIT=on
// run: UNCONTEND_LOCKS=spin
// run: UNCONTEND_SYSCALL=on UNCONTEND_TEST_EAGER_BIAS=on UNCONTEND_RANDOM=drbg
#include "../fault/fault.h"
#include "lib/locks.h"

#include <signal.h>

enum way { BY_PRCTL, BY_SECCOMP, BY_NUMBER_OF_PRCTL, WAYS };

static pthread_rwlock_t read_here, held_elsewhere;
static volatile sig_atomic_t came;
static int go[2], done[2];

static void note(int number)
{
    came = number;
}

#define ALLOW(name) FAULT_UNLESS(SYS_##name, 1), FAULT_RETURN(SECCOMP_RET_ALLOW)

static void shut_in(enum way way)
{
    struct sock_filter code[] = {
        FAULT_LOAD(nr),
        ALLOW(read),
        ALLOW(write),
        ALLOW(futex),
        ALLOW(exit_group),
        ALLOW(exit),
        ALLOW(getpid),
        ALLOW(gettid),
        ALLOW(tgkill),
        ALLOW(rt_sigreturn),
        ALLOW(prctl), // a second filter
        FAULT_RETURN(SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {LOCKS_COUNT(code), code};

    // The last argument arrives, too: by itself the kernel refuses any but 0.
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 1) == -1 && errno == EINVAL, "prctl: argument 5");
    CHECK(syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 1) == -1, "syscall: argument 5");
    CHECK_CALL(syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHECK_CALL(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    if (way == BY_PRCTL) {
        CHECK_CALL(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
        // What the first filter does not allow must not be done for the second either.
        CHECK_CALL(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
    } else if (way == BY_SECCOMP) {
        CHECK_CALL(
            syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program));
    } else {
        CHECK_CALL(syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
    }
}

// Holds one lock over it, so that a writer has somebody to wait for.
static void *hold(void *unused)
{
    char byte = 'h';

    read_times(&held_elsewhere, WARM_READS);
    CHECK_IS(pthread_rwlock_rdlock(&held_elsewhere), 0);
    CHECK_IS(write(done[1], &byte, 1), 1);
    CHECK_IS(read(go[0], &byte, 1), 1);
    CHECK_IS(pthread_rwlock_unlock(&held_elsewhere), 0);
    CHECK_IS(write(done[1], &byte, 1), 1);
    CHECK_IS(read(go[0], &byte, 1), 1);
    return unused;
}

static int live(void *arg)
{
    enum way way = *(enum way *)arg;
    char byte = 'm';

    CHECK_CALL(pipe(go));
    CHECK_CALL(pipe(done));
    signal(SIGUSR1, note);
    (void)check_thread(hold, NULL);
    CHECK_IS(read(done[0], &byte, 1), 1);
    read_times(&read_here, WARM_READS);
    shut_in(way);
    read_times(&read_here, WARM_READS);
    CHECK_IS(pthread_rwlock_wrlock(&read_here), 0);
    release(&read_here);
    CHECK_IS(pthread_rwlock_trywrlock(&held_elsewhere), EBUSY);
    CHECK_IS(write(go[1], &byte, 1), 1);
    CHECK_IS(read(done[0], &byte, 1), 1);
    CHECK_IS(pthread_rwlock_wrlock(&held_elsewhere), 0);
    release(&held_elsewhere);
    read_times(&read_here, 3 * WARM_READS);
    CHECK_IS(pthread_rwlock_wrlock(&read_here), 0);
    release(&read_here);
    (void)syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), SIGUSR1);
    CHECK_IS(came, SIGUSR1);
    exit(CHECK_PASS);
}

int main(void)
{
    locks_deadline();
    for (enum way way = BY_PRCTL; way < WAYS; way++)
        CHECK_IS(check_in_child(live, &way), CHECK_PASS);
    return CHECK_PASS;
}
