// SPDX-License-Identifier: MIT
// Owns the table of hot locks: who waited for which lock, how often and how long. Each thread has a
// few entries of its own in its record, so noting shares no memory with anybody; whoever reads adds
// them up. Only for paths on which somebody waits: where nobody does, nothing here is called.
// Cost: a search through UC_HOT_SLOTS entries of the thread's own, and five or six stores; no
// atomic instruction, no system call. A new lock or caller costs two notes of origin.h as well. 448
// bytes a thread, of memory that only threads have that waited.
#ifndef UC_HOT_H
#define UC_HOT_H

#include "thread.h"

// The lock was not free at once. caller: where the lock function returns to, with UC_HOT_WRITE;
// ticks: how long it took to get the lock, or to give up; slept: not by spinning. Of the table's
// entries the one with the least time gives way.
// Async-signal-safe. The lock is not touched: it may be gone.
void uc_hot_note(struct uc_hot table[UC_HOT_SLOTS], const void *lock, uintptr_t caller,
                 uint64_t ticks, bool slept);

// The same in this thread's table. self may be NULL: then nothing is noted.
static inline void uc_hot_note_of(struct uc_thread *self, const void *lock, uintptr_t caller,
                                  uint64_t ticks, bool slept)
{
    if (!self)
        return;
    self->waited = 1;
    uc_hot_note(uc_thread_hot(self), lock, caller, ticks, slept);
}

// A copy of the entry *e, which its thread may be changing: false when it is nobody's, or was given
// to another meanwhile.
bool uc_hot_read(const struct uc_hot *e, struct uc_hot *copy);

#endif
