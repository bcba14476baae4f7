// SPDX-License-Identifier: MIT
// Owns the originals: the functions that the program would have reached without us. Found by
// dlsym(RTLD_NEXT), which does not allocate when it succeeds, at the first use of each.
// Cost: one load and one comparison for an original that was found; the finding is a dlsym, which
// takes the dynamic linker's lock.
#ifndef UC_REAL_H
#define UC_REAL_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "compiler.h"

// UC_REAL(result, name, (parameters)): uc_real.name is valid after uc_real_get(UC_REAL_name).
#define UC_REAL_TABLE                                                                              \
    UC_REAL(ssize_t, getrandom, (void *, size_t, unsigned))                                        \
    UC_REAL(int, getentropy, (void *, size_t))                                                     \
    UC_REAL(uint32_t, arc4random, (void))                                                          \
    UC_REAL(void, arc4random_buf, (void *, size_t))                                                \
    UC_REAL(uint32_t, arc4random_uniform, (uint32_t))                                              \
    UC_REAL(long, syscall, (long, ...))                                                            \
    UC_REAL(int, prctl, (int, ...))                                                                \
    UC_REAL(int, clone, (int (*)(void *), void *, int, void *, ...))                               \
    UC_REAL(int, pthread_rwlock_init, (pthread_rwlock_t *, const pthread_rwlockattr_t *))          \
    UC_REAL(int, pthread_rwlock_destroy, (pthread_rwlock_t *))                                     \
    UC_REAL(int, pthread_rwlock_rdlock, (pthread_rwlock_t *))                                      \
    UC_REAL(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *))                                   \
    UC_REAL(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *))        \
    UC_REAL(int, pthread_rwlock_clockrdlock,                                                       \
            (pthread_rwlock_t *, clockid_t, const struct timespec *))                              \
    UC_REAL(int, pthread_rwlock_wrlock, (pthread_rwlock_t *))                                      \
    UC_REAL(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *))                                   \
    UC_REAL(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *))        \
    UC_REAL(int, pthread_rwlock_clockwrlock,                                                       \
            (pthread_rwlock_t *, clockid_t, const struct timespec *))                              \
    UC_REAL(int, pthread_rwlock_unlock, (pthread_rwlock_t *))                                      \
    UC_REAL(int, sigaction, (int, const struct sigaction *, struct sigaction *))                   \
    UC_REAL(sighandler_t, signal, (int, sighandler_t))                                             \
    UC_REAL(sighandler_t, sigset, (int, sighandler_t))                                             \
    UC_REAL(sighandler_t, sysv_signal, (int, sighandler_t))                                        \
    UC_REAL(sighandler_t, __sysv_signal, (int, sighandler_t))                                      \
    UC_REAL(sighandler_t, bsd_signal, (int, sighandler_t))                                         \
    UC_REAL(sighandler_t, ssignal, (int, sighandler_t))

enum uc_real_name {
#define UC_REAL(result, name, parameters) UC_REAL_##name,
    UC_REAL_TABLE
#undef UC_REAL
        UC_REAL_COUNT
};

struct uc_reals {
#define UC_REAL(result, name, parameters) result(*name) parameters;
    UC_REAL_TABLE
#undef UC_REAL
};

// Hidden: found without the table of addresses, which is empty before our object is relocated.
extern struct uc_reals uc_real __attribute__((visibility("hidden")));

// False before our own object was relocated, as when an IFUNC resolver of a library calls us: then
// only raw system calls are possible, and thread-local storage must not be touched.
bool uc_real_possible(void);

// For shims: 0 or more as it is, a negative errno by POSIX's convention. In an IFUNC resolver errno
// cannot be reached yet.
static inline long uc_real_result(long r)
{
    if (r >= 0)
        return r;
    if (uc_real_possible())
        errno = (int)-r;
    return -1;
}

// Fills all of uc_real. dlsym waits for whoever is inside dlopen: not in a program's first
// signal().
void uc_real_start(void);

// Fills uc_real.<name> if it is not yet. False: nobody behind us has that name, or too early.
bool uc_real_get(enum uc_real_name name);

// True when the original of this name, and the name as the program finds it, are libc's and ours:
// no other object defines it before or behind us.
bool uc_real_undisturbed(enum uc_real_name name);
// True when the name, as the program finds it, is ours.
bool uc_real_ours(enum uc_real_name name);

#define UC_REAL_READY(name) (uc_likely(uc_real.name != NULL) || uc_real_get(UC_REAL_##name))

#endif
