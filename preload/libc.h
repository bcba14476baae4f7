// SPDX-License-Identifier: MIT
// Owns which C library this build is for, and what differs between glibc and musl but for the
// lock's layout (rwlock_libc.h). Must not decide what is done about a difference: each user says
// that.
// Cost: none but uc_libc_thread_number's, a call or two of libc's.
#ifndef UC_LIBC_H
#define UC_LIBC_H

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "compiler.h"

// Weak in either build: a program of the other library, which inherits LD_PRELOAD, must start.
extern const char *gnu_get_libc_version(void) __attribute__((weak));

#ifdef __GLIBC__

#define UC_GLIBC 1
// A function of libc's that nobody else defines.
#define UC_LIBC_OWN gnu_get_libc_version

// What pthread_atfork, a part of each object, comes down to. Weak for the same reason.
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *object) __attribute__((weak));
extern char __dso_handle __attribute__((visibility("hidden")));

// 0, or it cannot be done.
static inline int uc_libc_in_child(void (*fn)(void))
{
    return __register_atfork ? __register_atfork(NULL, NULL, fn, &__dso_handle) : -1;
}

// The calling thread's number as libc has it, which is the pid at the start and right after fork.
// No system call: a sandbox that allows fork may not allow it. libc writes it into every mutex
// whose owner matters.
static inline uint32_t uc_libc_thread_number(void)
{
    pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    (void)pthread_mutex_lock(&m);
    int owner = m.__data.__owner;
    (void)pthread_mutex_unlock(&m);
    return (uint32_t)owner;
}

// The vDSO's time() is one load, half the cost of any other clock.
static inline uint64_t uc_libc_seconds(void)
{
    return (uint64_t)time(NULL);
}

// What debuggers see of the dynamic linker: the list of objects.
#pragma weak _r_debug
static inline const struct r_debug *uc_libc_objects(void)
{
    return &_r_debug;
}

#else

#define UC_GLIBC    0
#define UC_LIBC_OWN pthread_getcpuclockid

// There is no such mode.
#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 0
#endif

#pragma weak pthread_atfork // not in a glibc program, which must start
static inline int uc_libc_in_child(void (*fn)(void))
{
    return pthread_atfork ? pthread_atfork(NULL, NULL, fn) : -1;
}

static inline const struct r_debug *uc_libc_objects(void)
{
    return NULL;
}

// Not time(): musl's reads the CPU's clock, which a program may have forbidden itself.
static inline uint64_t uc_libc_seconds(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return (uint64_t)now.tv_sec;
}

// The name of a thread's CPU clock is made of it.
static inline uint32_t uc_libc_thread_number(void)
{
    clockid_t clock = 0;
    (void)pthread_getcpuclockid(pthread_self(), &clock);
    return (uint32_t) ~(clock >> 3);
}

#endif

// False in a program of another C library than this build's: nothing of ours can work there.
static inline bool uc_libc_is_ours(void)
{
    return UC_GLIBC == (gnu_get_libc_version != NULL);
}

#endif
