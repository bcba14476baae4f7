// SPDX-License-Identifier: MIT
// Owns the rule when a lock is given reader bias and what is learnt when a writer takes it back: a
// function of what was seen, with no clock, no lock and no memory of its own. Must not know how a
// bias works.
//
// The cost model. A fast read saves what libc's read lock and unlock cost, which is some ten
// nanoseconds when nobody else reads and hundreds when many do. A revocation costs the writer a
// system call and every CPU an interrupt, some microseconds. No constants fit all machines, so both
// are measured while the program runs, in ticks of the CPU's clock: one libc read in 64 is timed,
// and every revocation. From the rate of reads before a bias was given and its lifetime follows
// what it saved. A lock earns its first bias by UC_POLICY_FIRST reads without a write, about what
// pays for one revocation. Then its score decides, a moving average of saving by cost: while it is
// below UC_POLICY_WORTH each revocation doubles the number of reads that the next bias takes, else
// halves it. So a lock that is never written is biased soon and stays so, one that is seldom
// written is biased most of the time, and one that is written too often for that is left alone,
// with ever rarer attempts.
//
// On two cores of a virtual machine (a libc read and unlock 15 ns alone, 190 ns with a second
// reader, a fast one 5 ns, a revocation 4 to 23 us) that settles so: at most 0.03 % writes biased
// nearly always, 0.1 % some of the time, 1 % never. Simulated with random writes it never costs
// more than a fiftieth of a per cent. Lost against it: no averaging (one descheduled writer ends
// bias for good), a factor of 4, a WORTH of 4 (at 0.03 % of writes nothing was gained), reports of
// one read in 16 (cost 5 % where no bias comes of them).
// Cost: a report is some ten loads and stores in one cache line, and a division when it ends in a
// bias; a revocation two divisions; a write one load, or three when the lock is the one that is
// counted. No atomic instruction.
#ifndef UC_BIAS_POLICY_H
#define UC_BIAS_POLICY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "compiler.h"

enum {
    UC_POLICY_FIRST = 1024,   // need of a lock that nothing is known of
    UC_POLICY_LEAST = 128,    // need never falls below
    UC_POLICY_MOST = 1 << 20, // nor rises above
    UC_POLICY_STEP = 2,       // factor by which need rises or falls at a revocation
    UC_POLICY_WORTH = 2,      // saving / cost from which a bias was worth it
    UC_POLICY_EVICT = 16, // FIRSTs of reads by others before an owner has to earn its place again
};

// One for each place in the bias table. Hints: lost updates and torn views do no harm.
struct uc_policy {
    _Atomic(uintptr_t) lock; // whom the rest is about
    _Atomic(uint64_t) begun; // tick of the first read since the last write; of the bias, once given
    _Atomic(uint32_t) reads; // in libc's lock since the last write
    _Atomic(uint32_t) need;  // 0: UC_POLICY_FIRST
    _Atomic(uint32_t) rival; // reads of other locks of this place while lock has the bias
    _Atomic(uint32_t) spent; // ticks that libc's read lock takes, usually
    _Atomic(uint32_t) gain;  // 1024ths of a tick that the bias saves in a tick
    _Atomic(uint32_t) score; // 16ths; 0: nothing is known yet
} __attribute__((aligned(UC_CACHE_LINE)));

enum uc_verdict {
    UC_VERDICT_KEEP,  // things as they are
    UC_VERDICT_GIVE,  // bias this lock
    UC_VERDICT_EVICT, // take the bias from the owner of this place, if nobody holds it
};

// A reader's report: so many reads through libc, the last of which took `spent` ticks until `now`.
struct uc_reads {
    uintptr_t lock;
    uint32_t count;
    uint32_t spent;
    uint64_t now;
};

// owner: whose bias the place carries, 0 nobody's.
enum uc_verdict uc_policy_read(struct uc_policy *p, uintptr_t owner, const struct uc_reads *r);

// The lock was given bias at tick `now`; it was taken back at `now` at a cost of so many ticks.
void uc_policy_given(struct uc_policy *p, uintptr_t lock, uint64_t now);
void uc_policy_revoked(struct uc_policy *p, uintptr_t lock, uint64_t now, uint64_t cost);

// What something usually takes, after once more it `took` so long. Now and then a thread is
// descheduled in the middle: outliers count as four times the usual.
uint64_t uc_policy_usual(uint64_t usual, uint64_t took);

static inline uint32_t uc_policy_seen(const struct uc_policy *p)
{
    return atomic_load_explicit(&p->reads, memory_order_relaxed);
}

// A write, or the end of the lock. True: it is this one that reads were counted for.
static inline bool uc_policy_written(struct uc_policy *p, uintptr_t lock)
{
    if (atomic_load_explicit(&p->lock, memory_order_relaxed) != lock)
        return false;
    if (atomic_load_explicit(&p->reads, memory_order_relaxed) != 0)
        atomic_store_explicit(&p->reads, 0, memory_order_relaxed);
    return true;
}

#endif
