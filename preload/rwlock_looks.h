// SPDX-License-Identifier: MIT
// Owns how many looks a waiter takes at a lock before it sleeps, learnt from how earlier waits for
// that lock ended. Must not write on any path but that of a waiter, and nothing in the lock.
//
// Looks that end in the lock save a sleep and a waking; looks in vain cost their pauses, and the
// sleep comes all the same. So each spin that got the lock allows UC_LOOKS_MORE more for the next,
// each in vain takes UC_LOOKS_LESS away, between UC_LOOKS_LEAST and UC_LOOKS_MOST. At the least,
// one wait after each UC_LOOKS_PROBE takes UC_LOOKS_MOST, since few looks cannot find out that many
// would do.
// Cost: one load of a table of 2 KiB before a wait, and one store behind a wait that taught
// something.
#ifndef UC_RWLOCK_LOOKS_H
#define UC_RWLOCK_LOOKS_H

#include <stdbool.h>

enum {
    UC_LOOKS_MOST = 20,
    UC_LOOKS_LEAST = 4,
    UC_LOOKS_MORE = 4,
    UC_LOOKS_LESS = 1,
    UC_LOOKS_PROBE = 16,
};

// Any thread, any time. Two locks may share what is learnt.
unsigned uc_looks_of(const void *lock);
void uc_looks_learn(const void *lock, bool got);

#endif
