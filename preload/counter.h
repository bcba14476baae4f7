// SPDX-License-Identifier: MIT
// Owns the counters engine: which hidden functions are replaced in this process, where, and why
// others are not. Known functions and those that UNCONTEND_COUNTERS names; in the program, in the
// libraries it starts with, and in those that are loaded later.
// Cost: nothing at a counter but what its stub does (stub.h). At start-up one look at each object's
// imports, and a file mapped and read only where one fits; from then on two loads in each
// pthread_rwlock_init, and after a dlopen one search that takes the dynamic linker's lock.
#ifndef UC_COUNTER_H
#define UC_COUNTER_H

#include "options.h"
#include "stats_abi.h"

// Once, from the constructor. Fills uncontend_root.counter[] as well.
void uc_counter_start(const struct uc_options *options, struct uc_state *state);

// Where a newly loaded library shows first; NULL: nobody looks for any.
extern void *const *uc_counter_news __attribute__((visibility("hidden")));

// From dlopen and its relatives, before anything is loaded.
void uc_counter_expect(void);

void uc_counter_look_again(const void *caller);

// From now on no library is looked at any more.
void uc_counter_stop(void);

// From pthread_rwlock_init, with its return address: a library that counts under a lock makes the
// lock first, and is then looked at before anybody can count.
static inline void uc_counter_notice(const void *caller)
{
    if (uc_unlikely(uc_counter_news != NULL) &&
        uc_unlikely(__atomic_load_n(uc_counter_news, __ATOMIC_RELAXED) != NULL))
        uc_counter_look_again(caller);
}

#endif
