// SPDX-License-Identifier: MIT
// Runs a function one instruction at a time and calls the test between any two of them, on the
// same thread, as a signal handler would be: what depends on an unlucky moment comes at every
// moment once. x86-64's trap flag does it. It owns SIGTRAP; one thread at a time.
#ifndef STEPS_H
#define STEPS_H

#include "locks.h"

#include <limits.h>
#include <ucontext.h>

enum { TRAP_FLAG = 0x100 };

static void (*steps_visit)(long step);
static volatile long steps_done;
static volatile sig_atomic_t steps_on;

static inline void steps_trap(int number, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = (ucontext_t *)context;
    int saved = errno;

    (void)number;
    (void)info;
    if (steps_on)
        steps_visit(++steps_done);
    if (!steps_on)
        interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    errno = saved;
}

// No more visits; the rest runs at full speed.
static inline void steps_stop(void)
{
    steps_on = 0;
}

// From here on, whatever comes, also after this function has returned, until steps_stop().
static inline void steps_start(void (*visit)(long step))
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_sigaction = steps_trap;
    action.sa_flags = SA_SIGINFO;
    CHECK_CALL(sigaction(SIGTRAP, &action, NULL));
    steps_visit = visit;
    steps_done = 0;
    steps_on = 1;
    // Compilers move the setting of the flag across stores.
    __asm__ volatile("" : : : "memory");
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
}

// Returns the number of visits: fewer than the instructions if the visitor stopped them.
static inline long steps_run(void (*body)(void *), void *arg, void (*visit)(long step))
{
    steps_start(visit);
    body(arg);
    steps_on = 0;
    CHECK(steps_done > 0, "no instruction was trapped");
    return steps_done;
}

// The instruction at which something is to happen in the present run.
static long steps_moment;

enum { STEPS_STRIDE = 13, STEPS_ENCOUNTERS = 16 };

// Let something happen at each instruction of each encounter, once. `run` does it at steps_moment
// and returns how far it came; a run that ends before the moment tells how long the call is. When
// the time is up the rest is left out, which is never one part of the call: the moments go through
// all of it in strides.
static inline void steps_explore(long (*run)(int encounter), int encounters)
{
    long length[STEPS_ENCOUNTERS];
    long longest = 0;

    for (int i = 0; i < encounters; i++) {
        steps_moment = LONG_MAX;
        length[i] = run(i);
        longest = length[i] > longest ? length[i] : longest;
    }
    for (int first = 1; first <= STEPS_STRIDE; first++)
        for (long moment = first; moment <= longest; moment += STEPS_STRIDE)
            for (int i = 0; i < encounters; i++) {
                if (moment > length[i])
                    continue;
                if (time_is_up())
                    return;
                steps_moment = moment;
                run(i);
            }
}

static void (*steps_others)(void);

static inline void steps_let_others_act(long step)
{
    if (step < steps_moment)
        return;
    steps_others();
    steps_others = NULL;
    steps_stop();
}

static inline void steps_unlock(void *lock)
{
    CHECK_IS(pthread_rwlock_unlock((pthread_rwlock_t *)lock), 0);
    steps_stop();
}

// The caller's unlock, during which the others act once, or after it.
static inline long steps_unlock_beside(pthread_rwlock_t *lock, void (*others)(void))
{
    long steps;

    steps_others = others;
    steps = steps_run(steps_unlock, lock, steps_let_others_act);
    if (steps_others != NULL)
        others();
    return steps;
}

// The whole of a test in which another thread acts at each of the moments.
static inline int steps_main(struct actor *other, long (*run)(int encounter), int encounters)
{
    locks_deadline();
    actor_start(other);
    steps_explore(run, encounters);
    return CHECK_PASS;
}

// Give another thread the time to do its job, or to come to a place where it waits for this one.
// True if the job is done.
static inline bool actor_done_or_waits(struct actor *actor)
{
    for (int looks = 0, asleep = 0; looks < 40 && asleep < 2; looks++) {
        if (__atomic_load_n(&actor->done, __ATOMIC_SEQ_CST))
            return true;
        asleep = __atomic_load_n(&actor->inside, __ATOMIC_SEQ_CST) && thread_sleeps(actor->tid)
                     ? asleep + 1
                     : 0;
        sched_yield();
    }
    return false;
}

#endif
