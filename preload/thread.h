// SPDX-License-Identifier: MIT
// Owns the per-thread record: who has one, how it is found, counted in, left behind and taken over.
// Records are never unmapped, so any thread and any process with permission may look at all of them
// at any time.
// Cost: finding it is one load relative to the thread pointer, counting one addition in the
// thread's own lines. A thread's first call takes a record off the free list, by one
// compare-and-swap; its end gives it back. 640 bytes a thread, in a map of 256 and then maps of four
// times as many as the one before.
#ifndef UC_THREAD_H
#define UC_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "stats_abi.h"

enum { UC_HELD = 8 };

// A read lock held by the fast path. lock is written before, depth after the hold is confirmed:
// depth 0 with a lock means "about to". handed: how many of depth libc's lock counts as well, or of
// what was held here before (UC_HANDED_UNSURE: one more, perhaps).
struct uc_held {
    _Atomic(uintptr_t) lock;
    _Atomic(uint32_t) depth;
    _Atomic(uint32_t) handed;
};
// A flag in handed, which whoever lets go of a hold takes away.
#define UC_HANDED_UNSURE ((uint32_t)1 << 31)
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "depth is the low half of both");

enum uc_thread_life {
    UC_LIFE_FREE,   // on the free list, or never used
    UC_LIFE_LIVE,   // has a thread
    UC_LIFE_GHOST,  // its thread is gone and left locks held
    UC_LIFE_BURIED, // somebody alone changes what it left, or frees it
};

struct uc_thread {
    struct uc_held held[UC_HELD]; // written by the owner on every fast lock: lines of its own
    struct uc_block block;
    uint32_t sample[16]; // the lock engine's private counters of slow reads
    uint32_t index;      // place among all records
    _Atomic(uint32_t) life;
    _Atomic(uint32_t) next; // free list: index + 1
    int writer;             // this thread's number, as the last lock that it wrote shows it
    unsigned long owner;    // its pthread_t
    uint32_t waited;        // not 0: uc_thread_hot has entries
    uint32_t closing;       // 1 + the place whose bias it is taking back, or 0
} __attribute__((aligned(128)));

struct uc_tls {
    struct uc_thread *thread; // NULL: none yet, or no more
    void *slot;               // the generator's state for this thread; NULL: its slow path decides
    uint32_t closed;          // registering (a handler must not), or the thread is ending
    uint32_t drawing;         // inside a draw: a handler's own draw uses the kernel
};

extern __thread struct uc_tls uc_tls
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Marks a draw. False: there is one already. In one instruction, since a handler may switch to
// another stack of this thread, which draws, too, and comes back: a mark that is looked at first
// and set then would be set by both. The other stack is no other CPU: no locked instruction.
static inline bool uc_tls_begin_draw(void)
{
#if defined(__x86_64__)
    bool was;
    __asm__ volatile("btsl $0, %0" : "+m"(uc_tls.drawing), "=@ccc"(was)::"memory");
    return uc_likely(!was);
#else
    return uc_likely(__atomic_exchange_n(&uc_tls.drawing, 1, __ATOMIC_RELAXED) == 0);
#endif
}

static inline void uc_tls_end_draw(void)
{
    uc_compiler_barrier();
    uc_tls.drawing = 0;
}

extern struct uc_root uncontend_root;

// Once, at start-up, while there is one thread. 0, or a negative errno: no record can be had.
int uc_thread_start(void);

// This thread's record, made if need be. NULL: there is none (start-up has not happened, memory is
// short, the thread is ending, a handler interrupted the making): use the kernel, use libc.
// Async-signal-safe.
struct uc_thread *uc_thread_self(void);

// Any record by index below uc_thread_high(); NULL while its memory is being made.
struct uc_thread *uc_thread_at(uint32_t index);
uint32_t uc_thread_high(void);

// The record's entries for hot locks: UC_HOT_SLOTS, apart from it, so that their memory is had by
// threads that wait for locks alone.
struct uc_hot *uc_thread_hot(struct uc_thread *t);

// Where the record with this index lives: which chunk, which place in it.
uint32_t uc_thread_place(uint32_t index, uint32_t *chunk);
uint32_t uc_thread_chunk_count(uint32_t chunk);

// fn runs in a thread that ends, on its record; true keeps the record as a ghost. Then again, in
// any thread, before that is buried.
void uc_thread_on_exit(bool (*fn)(struct uc_thread *));
// fn runs in a fork's child, self = the forking thread's record or NULL, after all other records
// were emptied and freed. Must be async-signal-safe.
void uc_thread_on_fork(void (*fn)(struct uc_thread *self));

// From now on no memory is asked for: threads without a record go without.
void uc_thread_stop_growing(void);
bool uc_thread_may_grow(void);

// True: it is a ghost, and nobody else changes or frees it before the second call, which buries it
// if nothing is left. when: for that call.
bool uc_thread_claim(struct uc_thread *ghost, uint32_t *when);
void uc_thread_disclaim(struct uc_thread *ghost, uint32_t when);

// A ghost becomes free, if it is one and holds no lock any more. Any thread, after a full barrier.
void uc_thread_bury(struct uc_thread *ghost);

// Notices a fork that no atfork handler was told of. For slow paths; one load. False: another
// thread has noticed as well and is not done: what records say may be about threads that do not
// exist.
bool uc_thread_notice_fork(void);

// Where nothing is wiped, no slow path can notice. For whoever reads the counts: if they are those
// of a process that this one was forked from, they begin anew. Two system calls; one thread at a
// time.
void uc_thread_notice_fork_late(void);

// Counting in one's own record. UC_NO_STATS: what that costs is measured against (bench/run-stats).
#ifdef UC_NO_STATS
#define UC_COUNT(place, n) ((void)(place), (void)(n))
#else
#define UC_COUNT(place, n) ((void)((place) += (n)))
#endif

// t may be NULL: then the count goes to a shared block.
static inline void uc_stat_add(struct uc_thread *t, enum uc_stat stat, uint64_t n)
{
    if (uc_likely(t != NULL))
        UC_COUNT(t->block.stat[stat], n);
    else
        __atomic_fetch_add(&uncontend_root.shared.stat[stat], n, __ATOMIC_RELAXED);
}

#endif
