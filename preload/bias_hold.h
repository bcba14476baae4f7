// SPDX-License-Identifier: MIT
// Owns the fast holds: the entries in threads' records, who may change them, and the search through
// all of them. An entry's owner takes and releases without atomic instructions (rwlock.h) while the
// lock's word is plainly biased; in all other cases both sides change depth by compare-and-swap.
// Cost: an entry is found by arithmetic. Recursion, and any hold where readers fence, is one to
// three atomic instructions on the thread's own line. The search reads one entry of each record
// that was ever used.
#ifndef UC_BIAS_HOLD_H
#define UC_BIAS_HOLD_H

#include "bias_word.h"

// A thread has one entry for all locks whose places have equal low bits: found without a search.
static inline struct uc_held *uc_hold_entry(struct uc_thread *t, unsigned place)
{
    return &t->held[place % UC_HELD];
}

// depth and handed, which are looked at, and changed, as one where one without the other says
// nothing.
typedef uint64_t __attribute__((may_alias)) uc_hold_units;
static inline uc_hold_units *uc_hold_units_of(struct uc_held *e)
{
    return (uc_hold_units *)&e->depth;
}

// Held once, and libc's lock does not count it.
static inline bool uc_hold_is_single(struct uc_held *e)
{
    return __atomic_load_n(uc_hold_units_of(e), __ATOMIC_RELAXED) == 1;
}

enum uc_holders {
    UC_HOLD_NOBODY,
    UC_HOLD_COMING, // somebody has not yet decided
    UC_HOLD_SOME,
};
enum uc_holders uc_hold_find(unsigned place, const void *lock);

// Fast hold by the caller, where the inline path could not decide: recursion, and first holds where
// readers fence. False: use libc's lock.
bool uc_hold_take(struct uc_thread *self, pthread_rwlock_t *rw, unsigned place);
// The caller's hold, lowered. False: it has none.
bool uc_hold_drop(struct uc_thread *self, pthread_rwlock_t *rw, unsigned place);
// A hold of a thread that is gone, lowered; a ghost with nothing left is buried. False: there is
// none.
bool uc_hold_drop_ghost(pthread_rwlock_t *rw, unsigned place);
// Any thread's hold, for a lock that nobody uses any more: one that lives and lets go meanwhile
// does not notice. False: there is none.
bool uc_hold_drop_any(pthread_rwlock_t *rw, unsigned place);

// The inline path emptied e and then saw that the word had changed.
void uc_hold_left(struct uc_held *e, pthread_rwlock_t *rw, unsigned place);

// Has libc's lock count all fast holds of a closed lock as well, and those that may become one, so
// that writers who never heard of bias wait for them.
void uc_hold_hand_over(pthread_rwlock_t *rw, unsigned place);

// For the hook at a thread's end: true when it leaves holds behind.
bool uc_hold_thread_ends(struct uc_thread *t);

#endif
