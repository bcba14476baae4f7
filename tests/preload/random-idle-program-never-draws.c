// SPDX-License-Identifier: MIT
// A seed that is drawn at start-up blocks a program at early boot. The program traces itself,
// without and with the preload: threads, forks and an exec, but not one draw. libc's malloc makes a
// call of its own, so it is the number of calls that must be the same.
// claim: a program that never draws makes no getrandom call more than without the preload
// plain
#include "lib/plain.h"
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *use_lock(void *unused)
{
    free(malloc(100));
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    return unused;
}

static int exec_true(void *unused)
{
    (void)unused;
    execl("/bin/true", "true", (char *)NULL);
    return 127;
}

static int idle(void)
{
    for (int i = 0; i < 3; i++) {
        check_join(check_thread(use_lock, NULL));
        CHECK_IS(check_in_child(exec_true, NULL), 0);
    }
    return CHECK_PASS;
}

static void start(const char *self, const char *preload, const char *engine)
{
    char *const argv[] = {(char *)self, "idle", NULL};

    CHECK_CALL(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
    setenv("UNCONTEND_RANDOM", engine, 1);
    plain_exec(preload, argv);
}

// True if the process is stopped at the entry of a getrandom call.
static int enters_getrandom(pid_t pid)
{
    struct __ptrace_syscall_info info;

    memset(&info, 0, sizeof(info));
    CHECK_CALL(ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(info), &info));
    return info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_getrandom;
}

// How many getrandom calls the idle program, its threads and children make.
static int trace(const char *self, const char *preload, const char *engine)
{
    const long follow = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                        PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    int count = 0, calls = 0, status, first = -1;
    pid_t leader = CHECK_CALL(fork()), pid;

    if (leader == 0)
        start(self, preload, engine);
    CHECK_CALL(waitpid(leader, &status, 0));
    if (!WIFSTOPPED(status))
        SKIP("tracing is not allowed here");
    CHECK_CALL(ptrace(PTRACE_SETOPTIONS, leader, NULL, (void *)follow));
    CHECK_CALL(ptrace(PTRACE_SYSCALL, leader, NULL, NULL));
    while ((pid = waitpid(-1, &status, __WALL)) > 0) {
        int signal_number = 0;

        if (!WIFSTOPPED(status)) {
            first = pid == leader ? status : first;
            continue;
        }
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            calls++;
            count += enters_getrandom(pid);
        } else if (status >> 16 == 0 && WSTOPSIG(status) != SIGSTOP) {
            signal_number = WSTOPSIG(status);
        }
        ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(intptr_t)signal_number);
    }
    CHECK(first == 0, "the idle program ended with status %#x", (unsigned)first);
    CHECK(calls > 100, "only %d system calls were seen", calls);
    return count;
}

int main(int argc, char **argv)
{
    static const char *const engines[] = {"auto", "vdso", "drbg", "system"};
    const char *library;

    if (argc > 1)
        return idle();
    library = plain_library();
    check_deadline(25);
    for (int i = 0; i < 4; i++) {
        int plain = trace(argv[0], NULL, engines[i]);
        int preloaded = trace(argv[0], library, engines[i]);

        CHECK(plain == preloaded, "UNCONTEND_RANDOM=%s: %d getrandom calls, plain %d", engines[i],
              preloaded, plain);
    }
    return CHECK_PASS;
}
