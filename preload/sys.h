// SPDX-License-Identifier: MIT
// System calls, made directly: no errno, no cancellation point, no libc wrapper that another
// preload may have replaced. Each returns what the kernel returned: >= 0, or a negative errno.
// All are async-signal-safe.
// Cost: the system call itself, six registers set for it.
#ifndef UC_SYS_H
#define UC_SYS_H

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "compiler.h"

// The kernel's numbers that not every C library brings headers for.
enum {
    UC_FUTEX_WAKE = 1,
    UC_FUTEX_WAIT_BITSET = 9,
    UC_FUTEX_PRIVATE = 128,
    UC_FUTEX_REALTIME = 256,
    UC_MEMBARRIER_EXPEDITED = 8,
    UC_MEMBARRIER_REGISTER = 16,
    UC_SECCOMP_MODE_STRICT = 1,
    UC_SECCOMP_MODE_FILTER = 2,
    UC_SECCOMP_SET_STRICT = 0,
    UC_SECCOMP_SET_FILTER = 1,
};

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

long uc_sys_call6(long nr, long a, long b, long c, long d, long e, long f);

#define UC_SYS0(nr)             uc_sys_call6((nr), 0, 0, 0, 0, 0, 0)
#define UC_SYS1(nr, a)          uc_sys_call6((nr), (long)(a), 0, 0, 0, 0, 0)
#define UC_SYS2(nr, a, b)       uc_sys_call6((nr), (long)(a), (long)(b), 0, 0, 0, 0)
#define UC_SYS3(nr, a, b, c)    uc_sys_call6((nr), (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define UC_SYS4(nr, a, b, c, d) uc_sys_call6((nr), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define UC_SYS6(nr, a, b, c, d, e, f)                                                              \
    uc_sys_call6((nr), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline long uc_sys_getrandom(void *buf, size_t n, unsigned flags)
{
    return UC_SYS3(SYS_getrandom, buf, n, flags);
}

static inline long uc_sys_write(int fd, const void *buf, size_t n)
{
    return UC_SYS3(SYS_write, fd, buf, n);
}

static inline long uc_sys_read(int fd, void *buf, size_t n)
{
    return UC_SYS3(SYS_read, fd, buf, n);
}

static inline int uc_sys_open(const char *path, int flags, unsigned mode)
{
    return (int)UC_SYS4(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline int uc_sys_close(int fd)
{
    return (int)UC_SYS1(SYS_close, fd);
}

static inline long uc_sys_readlink(const char *path, char *to, size_t n)
{
    return UC_SYS4(SYS_readlinkat, AT_FDCWD, path, to, n);
}

// Identity of what a descriptor refers to: 0, or a negative errno.
int uc_sys_identify(int fd, uint64_t id[2]);

// The address, or MAP_FAILED with *error set to a negative errno (error may be NULL).
void *uc_sys_mmap(void *at, size_t n, int prot, int flags, int fd, uint64_t offset, int *error);

static inline int uc_sys_munmap(void *at, size_t n)
{
    return (int)UC_SYS2(SYS_munmap, at, n);
}

static inline int uc_sys_mprotect(void *at, size_t n, int prot)
{
    return (int)UC_SYS3(SYS_mprotect, at, n, prot);
}

static inline int uc_sys_madvise(void *at, size_t n, int advice)
{
    return (int)UC_SYS3(SYS_madvise, at, n, advice);
}

static inline int uc_sys_membarrier(int command)
{
    return (int)UC_SYS3(SYS_membarrier, command, 0, 0);
}

static inline int uc_sys_memfd_create(const char *name, unsigned flags)
{
    return (int)UC_SYS2(SYS_memfd_create, name, flags);
}

// Sleeps while *word == expected. deadline: absolute on the clock named, or NULL for ever.
int uc_sys_futex_wait(const uint32_t *word, uint32_t expected, clockid_t clock,
                      const struct timespec *deadline);
void uc_sys_futex_wake_all(const uint32_t *word);

static inline int uc_sys_getpid(void)
{
    return (int)UC_SYS0(SYS_getpid);
}

static inline int uc_sys_gettid(void)
{
    return (int)UC_SYS0(SYS_gettid);
}

// How many CPUs this thread may run on; 1 when the kernel does not say.
int uc_sys_cpus(void);

// Ends the process as a fatal signal would: the last resort of arc4random, which cannot fail.
_Noreturn void uc_sys_die(void);

#endif
