// SPDX-License-Identifier: MIT
// A launcher confines a helper before it executes it, to what the helper's libc needs, and the
// helper inherits LD_PRELOAD. It can be named in UNCONTEND_SKIP.
// claim: a program that is left alone makes no system call at start that it would not make plain
// plain
#include "../fault/fault.h"
#include "lib/draw.h"
#include "lib/plain.h"

#define ALLOW(name) FAULT_UNLESS(SYS_##name, 1), FAULT_RETURN(SECCOMP_RET_ALLOW)

// What the dynamic linker and libc call for this program, and what its work is.
static void shut_in(void)
{
    struct sock_filter code[] = {
        FAULT_LOAD(nr),
        ALLOW(execve),
        ALLOW(brk),
        ALLOW(mmap),
        ALLOW(munmap),
        ALLOW(mprotect),
        ALLOW(access),
        ALLOW(openat),
        ALLOW(close),
        ALLOW(newfstatat),
        ALLOW(read),
        ALLOW(pread64),
        ALLOW(arch_prctl),
        ALLOW(set_tid_address),
        ALLOW(rseq),
        ALLOW(set_robust_list),
        ALLOW(prlimit64),
        ALLOW(getrandom),
        ALLOW(write),
        ALLOW(exit_group),
        FAULT_RETURN(SECCOMP_RET_KILL_PROCESS),
    };

    fault_install(code, sizeof(code) / sizeof(code[0]));
}

static int help(void)
{
    static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    uint8_t drawn[DRAW_TASTE];

    draw_taste(drawn);
    for (int i = 0; i < 5000; i++) {
        CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
        CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    }
    CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    return CHECK_PASS;
}

static void launch(char *self, const char *library, const char *setting)
{
    char *const argv[] = {self, "help", NULL};
    pid_t pid = CHECK_CALL(fork());

    if (pid == 0) {
        if (setting)
            CHECK_IS(putenv((char *)(uintptr_t)setting), 0);
        shut_in();
        plain_exec(library, argv);
    }
    CHECK_IS(check_collect(pid), CHECK_PASS);
}

int main(int argc, char **argv)
{
    const char *library;

    if (argc > 1)
        return help();
    library = plain_library();
    check_deadline(25);
    launch(argv[0], NULL, NULL);
    launch(argv[0], library, "UNCONTEND_SKIP=early-skipped-*");
    launch(argv[0], library, "UNCONTEND_ONLY=other");
    launch(argv[0], library, "UNCONTEND_DISABLE=on");
    return CHECK_PASS;
}
