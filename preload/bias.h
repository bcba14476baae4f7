// SPDX-License-Identifier: MIT
// Owns reader bias as the lock operations see it: when a lock is given it, how a writer takes it
// away, and when no lock is given it any more. Must not change libc's lock other than by its own
// functions, nor store anything in it.
//
// What holds at all times:
//  - a fast hold of a lock exists only while the lock's place carries the lock's address, and not
//    UC_BIAS_DRAINED, or while libc's lock counts the hold as well;
//  - a lock that has bias (not closed) is write-held by nobody: bias is given under libc's read
//    lock, and whoever gets the write lock looks at the word afterwards, and gives the lock back if
//    need be.
// Cost: to a reader one count, and each 64th time a report: two reads of the CPU's clock and stores
// in a line that all readers of the lock share. A revocation is a system call, an interrupt for
// each CPU that runs this process, and two searches through all records. So is an unlock of what
// another thread holds by the fast path, with libc's lock taken for each such hold. Ending all bias
// looks at 4096 words.
#ifndef UC_BIAS_H
#define UC_BIAS_H

#include "bias_hold.h"
#include "bias_policy.h"

extern struct uc_policy uc_bias_policy[UC_BIAS_WORDS] __attribute__((visibility("hidden")));

// A write, or the end of the lock.
static inline void uc_bias_written(const void *lock, unsigned place)
{
    if (uc_unlikely(uc_bias_is_marked(place)) &&
        uc_policy_written(&uc_bias_policy[place], (uintptr_t)lock))
        uc_bias_unmark(place);
}

// Once, at start-up. eager: bias at a lock's second read. False: this kernel has no membarrier.
bool uc_bias_start(bool eager);

// Reads through libc are reported one time in UC_BIAS_SAMPLE, since a report writes shared memory.
enum { UC_BIAS_SAMPLE = 64 };
extern uint32_t uc_bias_sampled __attribute__((visibility("hidden"))); // UC_BIAS_SAMPLE - 1, or 0

// Counts a read; true: report it.
static inline bool uc_bias_due(struct uc_thread *self, unsigned place)
{
    return (++self->sample[place % uc_countof(self->sample)] & uc_bias_sampled) == 0;
}

// The caller holds libc's read lock, begun to take it at that tick, and reports it and those that
// were not due.
void uc_bias_note_reads(struct uc_thread *self, pthread_rwlock_t *rw, unsigned place,
                        uint64_t begun);

// A writer closes the lock and waits until no fast reader is left. 0: none is, and none comes
// before uc_bias_lower; *joined says whether that is due. EBUSY, ETIMEDOUT: nothing is due.
int uc_bias_close(struct uc_thread *self, pthread_rwlock_t *rw, unsigned place,
                  const struct uc_wait *wait, bool *joined);
void uc_bias_lower(struct uc_thread *self, unsigned place);

// The lock begins or ends: whatever is known about its address is forgotten.
void uc_bias_forget(pthread_rwlock_t *rw);

// A read lock that the caller does not have is released: some thread's fast hold, by libc's lock.
int uc_bias_unlock_for_another(struct uc_thread *self, pthread_rwlock_t *rw, unsigned place);

// All bias is taken away for good; afterwards nothing here makes a system call but to wait for a
// lock. past_us: writers may come that never hear of bias, so what is held is counted by libc's
// lock from here on. Returns when that is so.
void uc_bias_forbid(const char *why, bool past_us);

#endif
