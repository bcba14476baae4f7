// SPDX-License-Identifier: MIT
// Makes the kernel refuse a system call for this process and its children, the way an old kernel or
// a sandbox does. By seccomp, because raw system calls have to be refused too. A fault that cannot
// be installed ends the program as skipped: a test that runs without it would prove nothing.
#ifndef FAULT_H
#define FAULT_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAULT_LOAD(field)         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define FAULT_UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define FAULT_RETURN(action)      BPF_STMT(BPF_RET | BPF_K, (action))

__attribute__((unused, noreturn)) static void fault_impossible(const char *why)
{
    static const char text[] = "fault not installed: ";

    if (write(STDERR_FILENO, text, sizeof(text) - 1) > 0 &&
        write(STDERR_FILENO, why, strlen(why)) > 0 && write(STDERR_FILENO, "\n", 1) > 0) {
        // The status says the same.
    }
    _exit(77);
}

// The library takes a prctl() that it sees for the program's own, and gives up bias and dumps. A
// kernel says nothing; so what is preloaded behind the library asks libc.
__attribute__((unused)) static int (*fault_prctl)(int option, ...);

static inline void fault_install(struct sock_filter *code, size_t count)
{
    struct sock_fprog program = {(unsigned short)count, code};

    if (!fault_prctl)
        *(void **)&fault_prctl = dlsym(RTLD_NEXT, "prctl");
    if (!fault_prctl || fault_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        fault_prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        fault_impossible("no seccomp here");
}

// The call does nothing and returns -error; 0 makes it look like success.
static inline void fault_refuse(unsigned call, unsigned error)
{
    struct sock_filter code[] = {
        FAULT_LOAD(arch),
        FAULT_UNLESS(AUDIT_ARCH_X86_64, 3),
        FAULT_LOAD(nr),
        FAULT_UNLESS(call, 1),
        FAULT_RETURN(SECCOMP_RET_ERRNO | error),
        FAULT_RETURN(SECCOMP_RET_ALLOW),
    };

    fault_install(code, sizeof(code) / sizeof(code[0]));
}

// The same for madvise() with that advice only.
static inline void fault_refuse_advice(unsigned advice, unsigned error)
{
    struct sock_filter code[] = {
        FAULT_LOAD(arch),
        FAULT_UNLESS(AUDIT_ARCH_X86_64, 5),
        FAULT_LOAD(nr),
        FAULT_UNLESS(SYS_madvise, 3),
        FAULT_LOAD(args[2]),
        FAULT_UNLESS(advice, 1),
        FAULT_RETURN(SECCOMP_RET_ERRNO | error),
        FAULT_RETURN(SECCOMP_RET_ALLOW),
    };

    fault_install(code, sizeof(code) / sizeof(code[0]));
}

// vm.memfd_noexec, which is a pid namespace's own: the program goes on in a child that has one.
// What it starts is in it, too, and finds the setting made. A namespace ends with its first
// process, so that one stays as long as the program.
__attribute__((unused)) static void fault_memfd_noexec(const char *value)
{
    static const char setting[] = "/proc/sys/vm/memfd_noexec";
    char now = 0;
    int fd = open(setting, O_RDONLY | O_CLOEXEC);
    int status;

    if (fd < 0 || read(fd, &now, 1) != 1)
        fault_impossible("no vm.memfd_noexec here");
    close(fd);
    if (now == value[0])
        return;
    if (unshare(CLONE_NEWPID) != 0)
        fault_impossible("no pid namespace here");
    pid_t child = fork();

    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        fd = open(setting, O_WRONLY | O_CLOEXEC);
        if (fd < 0 || write(fd, value, 1) != 1)
            fault_impossible("vm.memfd_noexec cannot be set here");
        close(fd);
        return;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

#endif
