// SPDX-License-Identifier: MIT
// Owns the changes of entries outside the inline paths. Must not believe that an entry it found is
// still what it was: its owner is running.
#include "bias_hold.h"

#include "rwlock_wait.h"

#include "poison.h"

static uintptr_t lock_of(const struct uc_held *e)
{
    // Acquire: what a reader did under the lock is over when its entry is seen empty.
    return atomic_load_explicit(&e->lock, memory_order_acquire);
}

static uint32_t depth_of(const struct uc_held *e)
{
    return atomic_load_explicit(&e->depth, memory_order_relaxed);
}

// For sure.
static uint32_t handed_of(const struct uc_held *e)
{
    return atomic_load_explicit(&e->handed, memory_order_seq_cst) & ~UC_HANDED_UNSURE;
}

static enum uc_holders look_at(const struct uc_held *e, const void *lock)
{
    if (lock_of(e) != (uintptr_t)lock)
        return UC_HOLD_NOBODY;
    uint32_t depth = depth_of(e);
    if (handed_of(e) >= (depth ? depth : 1))
        return UC_HOLD_NOBODY; // libc's to count
    return depth ? UC_HOLD_SOME : UC_HOLD_COMING;
}

enum uc_holders uc_hold_find(unsigned place, const void *lock)
{
    enum uc_holders most = UC_HOLD_NOBODY;
    uint32_t n = uc_thread_high();
    for (uint32_t i = 0; i < n && most != UC_HOLD_SOME; i++) {
        struct uc_thread *t = uc_thread_at(i);
        enum uc_holders h = t ? look_at(uc_hold_entry(t, place), lock) : UC_HOLD_NOBODY;
        most = h > most ? h : most;
    }
    return most;
}

// Units that libc's lock may count for an entry. Somebody who has not decided may turn out to hold.
static uint32_t may_hold(const struct uc_held *e, const void *lock)
{
    uint32_t depth = depth_of(e);
    return lock_of(e) != (uintptr_t)lock ? 0 : depth ? depth : 1;
}

// Whoever lowers a hold and whoever hands it over both look here afterwards, with a full barrier in
// between, so that one of them sees that libc counts more than there is, and returns it. What is
// unsure does not outlast the hold: what the entry is used for next was never handed over.
static void settle(struct uc_held *e, pthread_rwlock_t *rw)
{
    uint32_t handed = atomic_load_explicit(&e->handed, memory_order_seq_cst);
    while (handed != 0 && (handed & UC_HANDED_UNSURE || handed > may_hold(e, rw))) {
        bool sure = !(handed & UC_HANDED_UNSURE);
        uint32_t less = sure ? handed - 1 : handed & ~UC_HANDED_UNSURE;
        if (atomic_compare_exchange_weak_explicit(&e->handed, &handed, less, memory_order_seq_cst,
                                                  memory_order_seq_cst)) {
            if (sure)
                (void)uc_libc_unlock(rw);
            handed = less;
        }
    }
}

void uc_hold_left(struct uc_held *e, pthread_rwlock_t *rw, unsigned place)
{
    atomic_thread_fence(memory_order_seq_cst); // see settle
    settle(e, rw);
    uc_bias_wake(place);
}

// The last lowering empties the entry. False: nothing was held.
static bool lower_depth(struct uc_held *e, pthread_rwlock_t *rw, unsigned place)
{
    uint32_t depth = depth_of(e);
    do {
        if (depth == 0)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&e->depth, &depth, depth - 1,
                                                    memory_order_seq_cst, memory_order_relaxed));
    if (depth == 1) {
        uintptr_t mine = (uintptr_t)rw;
        // Sequentially consistent: where readers fence, the word is looked at after the store.
        (void)atomic_compare_exchange_strong_explicit(&e->lock, &mine, 0, memory_order_seq_cst,
                                                      memory_order_relaxed);
    }
    settle(e, rw);
    uc_bias_wake(place);
    return true;
}

static bool raise_depth(struct uc_held *e, pthread_rwlock_t *rw, unsigned place)
{
    uint32_t depth = depth_of(e);
    do {
        // 0: about to, in the frame that a handler interrupted; or being emptied by another thread.
        if (depth == 0 || depth == UINT32_MAX || atomic_load(&e->handed) != 0)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&e->depth, &depth, depth + 1,
                                                    memory_order_seq_cst, memory_order_relaxed));
    if (uc_likely(atomic_load(&e->handed) == 0))
        return true;
    (void)lower_depth(e, rw, place); // handed over meanwhile: libc's lock is the one to take
    return false;
}

bool uc_hold_take(struct uc_thread *self, pthread_rwlock_t *rw, unsigned place)
{
    const uintptr_t biased = (uintptr_t)rw | UC_BIAS_FENCED;
    struct uc_held *e = uc_hold_entry(self, place);
    uintptr_t lock = lock_of(e);
    if (lock == (uintptr_t)rw)
        return raise_depth(e, rw, place);
    if (lock != 0 || uc_bias_look(place) != biased || !uc_libc_plain_kind(rw))
        return false;
    atomic_store_explicit(&e->lock, (uintptr_t)rw, memory_order_relaxed);
    // Pairs with the closing writer's sequentially consistent exchange.
    atomic_thread_fence(memory_order_seq_cst);
    if (uc_bias_look(place) == biased) {
        atomic_store_explicit(&e->depth, 1, memory_order_relaxed);
        return true;
    }
    atomic_store_explicit(&e->lock, 0, memory_order_release);
    uc_hold_left(e, rw, place);
    return false;
}

// What libc's lock counts all of is nothing here any more: who lets go of it does so there. False:
// there is more. Both halves at once: {0, 0} is an entry that is about to, and nobody hands over
// less than it may hold.
static bool forget_handed(struct uc_held *e, pthread_rwlock_t *rw, unsigned place)
{
    uint32_t depth = depth_of(e);
    uc_hold_units both = (uint64_t)depth << 32 | depth;
    uintptr_t mine = (uintptr_t)rw;
    if (!__atomic_compare_exchange_n(uc_hold_units_of(e), &both, 0, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
        return false;
    (void)atomic_compare_exchange_strong_explicit(&e->lock, &mine, 0, memory_order_seq_cst,
                                                  memory_order_relaxed);
    uc_hold_left(e, rw, place);
    return true;
}

bool uc_hold_drop(struct uc_thread *self, pthread_rwlock_t *rw, unsigned place)
{
    struct uc_held *e = uc_hold_entry(self, place);
    if (lock_of(e) != (uintptr_t)rw || (depth_of(e) != 0 && forget_handed(e, rw, place)))
        return false;
    if (depth_of(e) != 1)
        return lower_depth(e, rw, place);
    atomic_store_explicit(&e->depth, 0, memory_order_relaxed);
    // Sequentially consistent: where readers fence, the word is looked at after the store.
    atomic_store_explicit(&e->lock, 0, memory_order_seq_cst);
    settle(e, rw);
    uc_bias_wake(place);
    return true;
}

static bool is_left_behind(const struct uc_thread *t, const struct uc_held *e, const void *lock)
{
    // Acquire: pairs with the end of the thread, which writes its entries no more.
    return atomic_load_explicit(&t->life, memory_order_acquire) == UC_LIFE_GHOST &&
           look_at(e, lock) == UC_HOLD_SOME;
}

// The record is claimed, or somebody else might free it between two steps here, and the next thread
// to have it would lose what it holds.
static bool drop_left_behind(struct uc_thread *t, struct uc_held *e, pthread_rwlock_t *rw,
                             unsigned place)
{
    uint32_t when;
    if (!is_left_behind(t, e, rw) || !uc_thread_claim(t, &when))
        return false;
    bool dropped = look_at(e, rw) == UC_HOLD_SOME && lower_depth(e, rw, place);
    uc_thread_disclaim(t, when);
    return dropped;
}

bool uc_hold_drop_ghost(pthread_rwlock_t *rw, unsigned place)
{
    uint32_t n = uc_thread_high();
    for (uint32_t i = 0; i < n; i++) {
        struct uc_thread *t = uc_thread_at(i);
        if (t && drop_left_behind(t, uc_hold_entry(t, place), rw, place))
            return true;
    }
    return false;
}

bool uc_hold_drop_any(pthread_rwlock_t *rw, unsigned place)
{
    if (uc_hold_drop_ghost(rw, place))
        return true;
    uint32_t n = uc_thread_high();
    for (uint32_t i = 0; i < n; i++) {
        struct uc_thread *t = uc_thread_at(i);
        struct uc_held *e = t ? uc_hold_entry(t, place) : NULL;
        if (!e || lock_of(e) != (uintptr_t)rw || (depth_of(e) != 0 && forget_handed(e, rw, place)))
            continue;
        if (!lower_depth(e, rw, place))
            continue;
        uc_thread_bury(t);
        return true;
    }
    return false;
}

static const struct uc_wait try = {.form = UC_FORM_TRY};

// One more that libc's lock counts. Its owner may let go of it at any moment, and use the entry for
// another lock, so that is looked at once more, and the owner takes away what it finds unsure.
// False: the lock's count is one too many.
static bool count_one(struct uc_held *e, pthread_rwlock_t *rw, uint32_t handed)
{
    uint32_t unsure = handed | UC_HANDED_UNSURE;
    if (!atomic_compare_exchange_strong_explicit(&e->handed, &handed, unsure, memory_order_seq_cst,
                                                 memory_order_seq_cst))
        return false;
    atomic_thread_fence(memory_order_seq_cst); // see settle
    uint32_t now = handed < may_hold(e, rw) ? handed + 1 : handed;
    return atomic_compare_exchange_strong_explicit(&e->handed, &unsure, now, memory_order_seq_cst,
                                                   memory_order_seq_cst) &&
           now != handed;
}

// Busy: what looked like a hold came too late, and will see so, or is on its way out.
static void hand_over(struct uc_held *e, pthread_rwlock_t *rw)
{
    struct uc_backoff b = {0};
    uint32_t handed = handed_of(e);
    while (handed < may_hold(e, rw)) {
        int r = uc_libc_read(rw, &try);
        if (r == EBUSY && !uc_wait_again(&b))
            uc_bias_nap();
        else if (r != 0 && r != EBUSY)
            return; // more than libc's lock can count
        else if (r == 0 && !count_one(e, rw, handed))
            (void)uc_libc_unlock(rw);
        settle(e, rw);
        handed = handed_of(e);
    }
}

void uc_hold_hand_over(pthread_rwlock_t *rw, unsigned place)
{
    uint32_t n = uc_thread_high();
    for (uint32_t i = 0; i < n; i++) {
        struct uc_thread *t = uc_thread_at(i);
        if (!t)
            continue;
        hand_over(uc_hold_entry(t, place), rw);
        uc_thread_bury(t);
    }
}

bool uc_hold_thread_ends(struct uc_thread *t)
{
    bool keep = false;
    for (size_t i = 0; i < UC_HELD; i++) {
        struct uc_held *e = &t->held[i];
        uintptr_t lock = lock_of(e);
        // Depth 0: never confirmed, a handler that interrupted the taking ended the thread.
        if (lock != 0 &&
            !forget_handed(e, (pthread_rwlock_t *)lock, uc_bias_place((const void *)lock)))
            keep = true;
    }
    return keep;
}
