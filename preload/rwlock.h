// SPDX-License-Identifier: MIT
// Owns the operations of a reader-writer lock as the shims need them: the two inline paths that a
// reader of a biased lock takes, with no atomic instruction and no store outside its own record,
// and the functions for everything else. All answer as pthread_rwlock_* do: 0 or a positive errno.
// Cost: with gcc 12 on x86-64 a biased read lock is 38 instructions and its unlock 33, none of them
// atomic, with stores in the thread's own record alone. Through libc a read lock costs two counts,
// a prefetch and a look at the lock more than libc's own, and what bias.h says each 64th time; a
// write lock three looks and two counts, and a revocation where there is bias.
#ifndef UC_RWLOCK_H
#define UC_RWLOCK_H

#include "bias.h"
#include "options.h"
#include "stats_abi.h"

// At start-up, while there is one thread.
void uc_rwlock_start(const struct uc_options *o, struct uc_state *state);

// Everything but the two inline paths below. place: the lock's.
int uc_rwlock_read_by(pthread_rwlock_t *rw, unsigned place, const struct uc_wait *wait);
int uc_rwlock_unlock_by(pthread_rwlock_t *rw, unsigned place);

int uc_rwlock_write(pthread_rwlock_t *rw, const struct uc_wait *wait);
int uc_rwlock_init(pthread_rwlock_t *rw, const pthread_rwlockattr_t *attr);
int uc_rwlock_destroy(pthread_rwlock_t *rw);

// True: the caller has a read lock. The word was looked at before anything else: it carries a lock
// only when the engine has started, so that thread-local storage may be touched.
static inline bool uc_rwlock_hold(pthread_rwlock_t *rw, unsigned place)
{
    struct uc_thread *self = uc_tls.thread;
    if (uc_unlikely(self == NULL))
        return false;
    struct uc_held *e = uc_hold_entry(self, place);
    // The kind: the memory may have become another sort of lock without us being told.
    if (uc_unlikely(atomic_load_explicit(&e->lock, memory_order_relaxed) != 0) ||
        uc_unlikely(!uc_libc_plain_kind(rw)))
        return false;
    atomic_store_explicit(&e->lock, (uintptr_t)rw, memory_order_relaxed);
    uc_compiler_barrier(); // the CPU's part is the closing writer's membarrier
    if (uc_unlikely(uc_bias_look(place) != (uintptr_t)rw)) {
        atomic_store_explicit(&e->lock, 0, memory_order_release);
        uc_compiler_barrier();
        uc_hold_left(e, rw, place);
        return false;
    }
    atomic_store_explicit(&e->depth, 1, memory_order_relaxed);
    UC_COUNT(self->block.stat[UC_STAT_LOCK_READ_FAST], 1);
    return true;
}

// True: a fast read lock was released. The lock itself is never touched.
static inline bool uc_rwlock_let_go(pthread_rwlock_t *rw, unsigned place)
{
    struct uc_thread *self = uc_tls.thread;
    if (uc_unlikely(self == NULL))
        return false;
    struct uc_held *e = uc_hold_entry(self, place);
    if (uc_unlikely(atomic_load_explicit(&e->lock, memory_order_relaxed) != (uintptr_t)rw) ||
        uc_unlikely(!uc_hold_is_single(e)))
        return false;
    atomic_store_explicit(&e->depth, 0, memory_order_relaxed);
    // Release: pairs with the search of a closing writer.
    atomic_store_explicit(&e->lock, 0, memory_order_release);
    uc_compiler_barrier();
    // The word may be as it was and yet have been another meanwhile: the hold was handed over, and
    // bias given again. What libc counted before that shows then, since the look acquires.
    uintptr_t changed = uc_bias_look(place) ^ (uintptr_t)rw;
    if (uc_unlikely((changed | atomic_load_explicit(&e->handed, memory_order_relaxed)) != 0))
        uc_hold_left(e, rw, place);
    return true;
}

static inline int uc_rwlock_read(pthread_rwlock_t *rw, const struct uc_wait *wait)
{
    unsigned place = uc_bias_place(rw);
    if (uc_likely(uc_bias_look(place) == (uintptr_t)rw) && uc_likely(uc_rwlock_hold(rw, place)))
        return 0;
    return uc_rwlock_read_by(rw, place, wait);
}

static inline int uc_rwlock_unlock(pthread_rwlock_t *rw)
{
    unsigned place = uc_bias_place(rw);
    if (uc_likely(uc_bias_look(place) == (uintptr_t)rw) && uc_likely(uc_rwlock_let_go(rw, place)))
        return 0;
    return uc_rwlock_unlock_by(rw, place);
}

#endif
