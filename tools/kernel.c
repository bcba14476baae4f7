// SPDX-License-Identifier: MIT
// Owns the questions to the kernel. Each is answered "ok", "no" with what the library does then, or
// "note".
#include "kernel.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "symbol.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef PR_GET_MDWE
#define PR_GET_MDWE 66
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

static void ask_vdso(void)
{
    static const char *const names[] = {"__vdso_getrandom", "__kernel_getrandom"};
    uint64_t address;
    uint64_t base = getauxval(AT_SYSINFO_EHDR);
    for (size_t i = 0; base && i < sizeof names / sizeof names[0]; i++) {
        if (uc_symbol_find_in(getpid(), base, names[i], &address) == 0) {
            uc_doctor_line("ok", "getrandom without a system call (vDSO)");
            return;
        }
    }
    uc_doctor_line("no", "getrandom without a system call (vDSO, Linux 6.11): the library's own "
                         "generator serves, UNCONTEND_RANDOM=drbg");
}

static void ask_wipe(void)
{
    size_t n = (size_t)sysconf(_SC_PAGESIZE);
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return;
    if (madvise(p, n, -1) == 0)
        uc_doctor_line("no", "memory wiped on fork: this kernel accepts any advice, so none is "
                             "trusted; without the vDSO every draw is a system call");
    else if (madvise(p, n, MADV_WIPEONFORK) < 0)
        uc_doctor_line("no",
                       "memory wiped on fork: %s; without the vDSO every draw is a system "
                       "call",
                       strerror(errno));
    else
        uc_doctor_line("ok", "memory wiped on fork");
    munmap(p, n);
}

static void ask_membarrier(void)
{
    long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    if (commands >= 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED))
        uc_doctor_line("ok", "membarrier: readers of a lock need no fence");
    else
        uc_doctor_line("no", "membarrier: %s; readers of a lock pay for a fence",
                       commands < 0 ? strerror(errno) : "not for private use");
}

static void ask_memfd(void)
{
    int fd = (int)syscall(SYS_memfd_create, "doctor", MFD_NOEXEC_SEAL | 1U);
    if (fd < 0)
        fd = (int)syscall(SYS_memfd_create, "doctor", 1U);
    if (fd < 0) {
        uc_doctor_line("no", "memfd_create: %s; hidden counters stay as they are", strerror(errno));
        return;
    }
    close(fd);
    uc_doctor_line("ok", "memfd_create: hidden counters can be replaced");
}

static void ask_mdwe(void)
{
    int r = prctl(PR_GET_MDWE, 0L, 0L, 0L, 0L);
    if (r > 0)
        uc_doctor_line("note", "memory is never writable and executable here (MDWE): fine");
    else if (r < 0)
        uc_doctor_line("note", "no MDWE in this kernel: nothing is lost by that");
}

static void ask_cpus(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    if (n == 1)
        uc_doctor_line("note", "one CPU: no lock is spun on, and there is little to win");
    else if (n > 1)
        uc_doctor_line("ok", "%d CPUs", n);
}

void uc_kernel_print(void)
{
    struct utsname u;
    uname(&u);
    printf("kernel %s %s\n", u.sysname, u.release);
    ask_vdso();
    ask_wipe();
    ask_membarrier();
    ask_memfd();
    ask_mdwe();
    ask_cpus();
}
