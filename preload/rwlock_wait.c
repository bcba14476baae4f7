// SPDX-License-Identifier: MIT
// Owns the spinning. The order in which waiters get the lock stays libc's: a spinner uses the try
// functions alone, which never overtake a writer that a writer-preferring lock has to let through.
#include "rwlock_wait.h"

#include "clock.h"
#include "hot.h"
#include "sys.h"

#include "poison.h"

static bool alone_on_cpu = true;

void uc_wait_start(void)
{
    alone_on_cpu = uc_sys_cpus() < 2;
}

bool uc_wait_again(struct uc_backoff *b)
{
    if (alone_on_cpu || b->looks >= (b->most ? b->most : UC_LOOKS_MOST))
        return false;
    b->looks++;
    b->pauses = b->pauses == 0             ? UC_WAIT_FIRST
                : b->pauses < UC_WAIT_MOST ? b->pauses * 2
                                           : b->pauses;
    for (unsigned i = 0; i < b->pauses; i++)
        uc_pause();
    return true;
}

bool uc_wait_deadline_valid(const struct uc_wait *wait)
{
    if (!wait->deadline)
        return true; // libc waits for ever, then
    return (wait->clock == CLOCK_REALTIME || wait->clock == CLOCK_MONOTONIC) &&
           wait->deadline->tv_nsec >= 0 && wait->deadline->tv_nsec < 1000000000;
}

// Zero is how a timed form asks only whether the lock is free. No clock is asked whether another
// time is over: the program may have forbidden itself that, and libc looks after a spin in vain.
static bool worth_spinning(const struct uc_wait *wait)
{
    return uc_wait_valid(wait) && !(wait->deadline && wait->deadline->tv_sec <= 0);
}

// This thread has the write lock: libc answers EDEADLK at once.
static bool is_own(const struct uc_thread *self, const pthread_rwlock_t *rw)
{
    return self && self->writer && self->writer == uc_libc_writer(rw);
}

static const struct uc_wait try = {.form = UC_FORM_TRY};

// Nothing is learnt where nothing is tried.
static bool learn(struct uc_thread *self, const pthread_rwlock_t *rw, bool got)
{
    if (!alone_on_cpu)
        uc_looks_learn(rw, got);
    if (got)
        uc_stat_add(self, UC_STAT_LOCK_SPUN, 1);
    return got;
}

static bool spin_read(struct uc_thread *self, pthread_rwlock_t *rw)
{
    struct uc_backoff b = {.most = uc_looks_of(rw)};
    while (uc_wait_again(&b)) {
        if (!uc_libc_write_held(uc_libc_peek(rw)) && uc_libc_read(rw, &try) == 0)
            return learn(self, rw, true);
    }
    return learn(self, rw, false);
}

int uc_wait_read(struct uc_thread *self, pthread_rwlock_t *rw, const struct uc_wait *wait,
                 const void *caller)
{
    if (uc_likely(!uc_libc_write_held(uc_libc_peek(rw))) || wait->form == UC_FORM_TRY ||
        is_own(self, rw))
        return uc_libc_read(rw, wait);
    uint64_t begun = uc_clock_now();
    int r = 0;
    bool spun = worth_spinning(wait) && spin_read(self, rw);
    if (!spun) {
        uc_stat_add(self, UC_STAT_LOCK_WAITED, 1);
        r = uc_libc_read(rw, wait);
    }
    uc_hot_note_of(self, rw, (uintptr_t)caller, uc_clock_since(begun), !spun);
    return r;
}

static bool spin_write(struct uc_thread *self, pthread_rwlock_t *rw)
{
    struct uc_backoff b = {.most = uc_looks_of(rw)};
    while (uc_wait_again(&b)) {
        if (uc_libc_free_to_write(uc_libc_peek(rw)) && uc_libc_write(rw, &try) == 0)
            return learn(self, rw, true);
    }
    return learn(self, rw, false);
}

int uc_wait_write(pthread_rwlock_t *rw, const struct uc_wait *wait)
{
    if (wait->form == UC_FORM_TRY || uc_unlikely(!uc_wait_valid(wait)))
        return uc_libc_write(rw, wait);
    if (uc_libc_free_to_write(uc_libc_peek(rw)) && uc_libc_trywrlock(rw) == 0)
        return 0;
    return UC_WAIT_ON;
}

int uc_wait_write_on(struct uc_thread *self, pthread_rwlock_t *rw, const struct uc_wait *wait,
                     const void *caller)
{
    if (is_own(self, rw))
        return uc_libc_write(rw, wait);
    uint64_t begun = uc_clock_now();
    int r = 0;
    bool spun = worth_spinning(wait) && spin_write(self, rw);
    if (!spun) {
        uc_stat_add(self, UC_STAT_LOCK_WAITED, 1);
        r = uc_libc_write(rw, wait);
    }
    uc_hot_note_of(self, rw, (uintptr_t)caller | UC_HOT_WRITE, uc_clock_since(begun), !spun);
    return r;
}
