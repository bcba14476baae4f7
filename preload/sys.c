// SPDX-License-Identifier: MIT
// Owns the one instruction that enters the kernel. Must not touch errno.
#include "sys.h"

#include <sched.h>
#include <signal.h>

#include "poison.h"

long uc_sys_call6(long nr, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    long ret;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return ret;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = nr;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#else
#error "uncontend: x86-64 and aarch64 only"
#endif
}

int uc_sys_identify(int fd, uint64_t id[2])
{
    struct stat st = {0};
    long r = UC_SYS2(SYS_fstat, fd, &st);
    if (r < 0)
        return (int)r;
    id[0] = st.st_dev;
    id[1] = st.st_ino;
    return 0;
}

void *uc_sys_mmap(void *at, size_t n, int prot, int flags, int fd, uint64_t offset, int *error)
{
    long r = UC_SYS6(SYS_mmap, at, n, prot, flags, fd, offset);
    if (r < 0 && r >= -UC_PAGE) {
        if (error)
            *error = (int)r;
        return MAP_FAILED;
    }
    return (void *)r;
}

int uc_sys_futex_wait(const uint32_t *word, uint32_t expected, clockid_t clock,
                      const struct timespec *deadline)
{
    int op = UC_FUTEX_WAIT_BITSET | UC_FUTEX_PRIVATE;
    if (clock == CLOCK_REALTIME)
        op |= UC_FUTEX_REALTIME;
    return (int)UC_SYS6(SYS_futex, word, op, expected, deadline, 0, UINT32_MAX);
}

void uc_sys_futex_wake_all(const uint32_t *word)
{
    (void)UC_SYS3(SYS_futex, word, UC_FUTEX_WAKE | UC_FUTEX_PRIVATE, INT32_MAX);
}

int uc_sys_cpus(void)
{
    unsigned long mask[128] = {0}; // 8192 CPUs, the most that Linux is built for
    long bytes = UC_SYS3(SYS_sched_getaffinity, 0, sizeof mask, mask);
    if (bytes <= 0)
        return 1;
    int n = 0;
    for (size_t i = 0; i < (size_t)bytes / sizeof mask[0]; i++)
        n += __builtin_popcountl(mask[i]);
    return n > 0 ? n : 1;
}

_Noreturn void uc_sys_die(void)
{
    for (;;) {
        (void)UC_SYS3(SYS_tgkill, uc_sys_getpid(), uc_sys_gettid(), SIGABRT);
        (void)UC_SYS1(SYS_exit_group, 127);
    }
}
