// SPDX-License-Identifier: MIT
// Calls every function that the library takes over, where hardly anything works yet: it touches
// nothing but its stack and what it is given, and judges nothing.
#ifndef EVERYTHING_H
#define EVERYTHING_H

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EVERYTHING = 80 };

// early: in a resolver that runs before the library is relocated. There it cannot reach libc, so
// errno is not set, and what a lock would refuse it grants: there is one thread, and a lock holds
// nothing.
struct everything {
    int count, early;
    long got[EVERYTHING];
    unsigned char drawn[6][32];
};

static inline void everything_add(struct everything *e, long value)
{
    if (e->count < EVERYTHING)
        e->got[e->count] = value;
    e->count++;
}

static inline void everything_add_late(struct everything *e, long value)
{
    everything_add(e, e->early ? 0 : value);
}

static inline void everything_draw(struct everything *e)
{
    uint32_t numbers[8];

    everything_add(e, getrandom(e->drawn[0], 32, 0));
    everything_add(e, getrandom(e->drawn[0], 32, 0x100));
    everything_add_late(e, errno);
    everything_add(e, getentropy(e->drawn[1], 32));
    arc4random_buf(e->drawn[2], 32);
    for (int i = 0; i < 8; i++)
        numbers[i] = arc4random();
    __builtin_memcpy(e->drawn[3], numbers, 32);
    for (int i = 0; i < 32; i++)
        e->drawn[4][i] = (unsigned char)arc4random_uniform(256);
    everything_add(e, arc4random_uniform(1));
    everything_add(e, syscall(SYS_getrandom, e->drawn[5], 32, 0));
}

static inline void everything_lock(struct everything *e)
{
    const struct timespec future = {1L << 40, 0}, bad = {0, -1};
    pthread_rwlock_t lock;

    everything_add(e, pthread_rwlock_init(&lock, NULL));
    everything_add(e, pthread_rwlock_rdlock(&lock));
    everything_add(e, pthread_rwlock_tryrdlock(&lock));
    everything_add(e, pthread_rwlock_timedrdlock(&lock, &future));
    everything_add(e, pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &future));
    everything_add_late(e, pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &bad));
    everything_add_late(e, pthread_rwlock_trywrlock(&lock));
    for (int i = 0; i < 4; i++)
        everything_add(e, pthread_rwlock_unlock(&lock));
    everything_add(e, pthread_rwlock_wrlock(&lock));
    everything_add_late(e, pthread_rwlock_tryrdlock(&lock));
    everything_add_late(e, pthread_rwlock_rdlock(&lock));
    everything_add_late(e, pthread_rwlock_timedwrlock(&lock, &future));
    everything_add_late(e, pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &future));
    everything_add(e, pthread_rwlock_unlock(&lock));
    everything_add(e, pthread_rwlock_timedwrlock(&lock, &future));
    everything_add(e, pthread_rwlock_unlock(&lock));
    everything_add(e, pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &future));
    everything_add_late(e, pthread_rwlock_trywrlock(&lock));
    everything_add(e, pthread_rwlock_unlock(&lock));
    everything_add(e, pthread_rwlock_trywrlock(&lock));
    everything_add(e, pthread_rwlock_unlock(&lock));
    everything_add(e, pthread_rwlock_destroy(&lock));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // programs call them all the same
static inline void everything_signal(struct everything *e, sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER}, was;

    everything_add(e, sigaction(SIGUSR1, &action, &was));
    everything_add(e, was.sa_handler == SIG_DFL);
    everything_add(e, signal(SIGUSR1, SIG_IGN) == handler);
    everything_add(e, sigset(SIGUSR1, handler) == SIG_IGN);
    everything_add(e, sysv_signal(SIGUSR1, handler) == handler);
    everything_add(e, __sysv_signal(SIGUSR1, handler) == handler);
    everything_add(e, ssignal(SIGUSR1, handler) == handler);
    everything_add(e, sigaction(SIGUSR1, NULL, &was));
    everything_add(e, was.sa_handler == handler);
    everything_add(e, was.sa_flags & (SA_RESTART | SA_RESETHAND | SA_NODEFER));
    everything_add(e, signal(SIGUSR1, SIG_DFL) == handler);
    everything_add(e, sigaction(65, NULL, &was));
    everything_add_late(e, errno);
}
#pragma GCC diagnostic pop

static inline void everything_call(struct everything *e, sighandler_t handler)
{
    everything_draw(e);
    everything_lock(e);
    everything_signal(e, handler);
    everything_add(e, syscall(SYS_getppid) == getppid());
    everything_add(e, syscall(100000));
    everything_add_late(e, errno);
    everything_add(e, prctl(PR_GET_DUMPABLE));
    everything_add(e, prctl(-1));
    everything_add_late(e, errno);
}

// Where libraries may be loaded.
static inline void everything_load(struct everything *e)
{
    everything_add(e, dlopen("libm.so.6", RTLD_NOW) != NULL);
    everything_add(e, dlmopen(LM_ID_BASE, "libm.so.6", RTLD_NOW) != NULL);
    everything_add(e, dlopen("libuncontend-absent.so", RTLD_NOW) == NULL);
    everything_add(e, dlvsym(RTLD_DEFAULT, "getppid", "GLIBC_2.2.5") != NULL);
}

#endif
