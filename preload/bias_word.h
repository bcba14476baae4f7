// SPDX-License-Identifier: MIT
// Owns the table of words that say which lock's readers may go without libc, the barrier between
// the two sides, and the sleep of a writer until readers have left. Must not know threads' entries.
//
// A reader stores its entry and then looks at the word; a writer changes the word, passes the
// barrier, and then looks at the entries: one of the two sees the other.
// Cost: a look is a multiplication, a shift and a load of a line that nobody writes in the steady
// state; a change is one compare-and-swap. The barrier is a system call, none for a thread that is
// alone; so is a wake-up, when somebody sleeps. 32 KiB of words, 4 KiB of marks.
#ifndef UC_BIAS_WORD_H
#define UC_BIAS_WORD_H

#include "rwlock_libc.h"
#include "thread.h"

enum { UC_BIAS_BITS = 12, UC_BIAS_WORDS = 1 << UC_BIAS_BITS };

// A word is 0, or a lock's address with flags in the low bits and, while writers have it closed,
// their number above bit 48. Locks at odd places (not 8-aligned, above 2^48) are never biased.
#define UC_BIAS_CLOSED  ((uintptr_t)1) // no new fast readers
#define UC_BIAS_DRAINED ((uintptr_t)2) // and no old ones any more
#define UC_BIAS_FENCED  ((uintptr_t)4) // biased, and its readers must fence: no membarrier here
#define UC_BIAS_ONE     ((uintptr_t)1 << 48)
#define UC_BIAS_LOCK    (UC_BIAS_ONE - 8)

// Several locks' words share a cache line: in the steady state they are only read. 4096 of them are
// 32 KiB, which stays in a first-level cache.
extern _Atomic(uintptr_t) uc_bias_word[UC_BIAS_WORDS] __attribute__((visibility("hidden")));

// A product's top bits. Every multiplier clumps for some distance between locks; this one, found by
// search, spreads 1024 locks over at least 853 places for all distances from 56 to 4608 bytes.
static inline unsigned uc_bias_place(const void *lock)
{
    return (unsigned)(((uintptr_t)lock * UINT64_C(0x932c96cee806e409)) >> (64 - UC_BIAS_BITS));
}

static inline uintptr_t uc_bias_look(unsigned place)
{
    // Acquire: whoever gave the bias had read under libc's lock what the last writer wrote.
    return atomic_load_explicit(&uc_bias_word[place], memory_order_acquire);
}

// 0: this place carries nothing, and nothing is counted for it: a lock that begins, ends or is
// written need not look at the word or the policy for what to forget. A small table that stays in a
// cache, for locks that are made and destroyed at ever other addresses. Whoever gives a bias marks
// the place after it; whoever clears the mark looks at the word after it.
extern _Atomic(uint8_t) uc_bias_marked[UC_BIAS_WORDS] __attribute__((visibility("hidden")));

static inline bool uc_bias_is_marked(unsigned place)
{
    return atomic_load_explicit(&uc_bias_marked[place], memory_order_relaxed) != 0;
}
void uc_bias_mark(unsigned place);
void uc_bias_unmark(unsigned place);

// lock: not NULL.
static inline bool uc_bias_names(uintptr_t word, const void *lock)
{
    return (word & UC_BIAS_LOCK) == (uintptr_t)lock;
}

// True: this lock may have fast readers.
static inline bool uc_bias_open(uintptr_t word, const void *lock)
{
    return uc_bias_names(word, lock) && !(word & UC_BIAS_DRAINED);
}

// Once, at start-up. False: this kernel has no membarrier, readers have to fence.
bool uc_bias_word_start(void);

// 0 -> biased. False: the place is taken.
bool uc_bias_word_give(unsigned place, const void *lock);
// Closes the lock, or counts the caller among those who keep it closed; *first: it was biased until
// now. False: there is nothing to close.
bool uc_bias_word_close(unsigned place, const void *lock, bool *first);
// Nobody is left: said by one who has it closed.
void uc_bias_word_drained(unsigned place);
// One of those who keep it closed is done. The last one frees the place, or, if nobody ever found
// the lock drained, leaves it biased as it was: its readers rely on the word.
void uc_bias_word_lower(unsigned place);
// biased -> 0, for a lock that has no holders.
void uc_bias_word_clear(unsigned place, const void *lock);

// False: readers fence themselves, or there are none but this thread.
bool uc_bias_needs_barrier(const struct uc_thread *self);
// Afterwards every other thread has either stored its entry or sees the changed word. False: the
// kernel refused, and time had to do instead.
bool uc_bias_barrier(struct uc_thread *self);

// A millisecond, asleep.
void uc_bias_nap(void);

// A fast hold ended, or came to nothing, and was stored so before.
void uc_bias_wake(unsigned place);
// A writer that waits: begin, then again and again take `seen`, look at the entries, and sleep
// until some hold ended since; then end. 0 or ETIMEDOUT.
void uc_bias_sleep_begin(void);
uint32_t uc_bias_sleep_seen(void);
int uc_bias_sleep(uint32_t seen, const struct uc_wait *wait);
void uc_bias_sleep_end(void);
// In a fork's child: whom a writer waits for is not there. One that forked in a handler looks
// again.
void uc_bias_sleep_forked(void);

// In a fork's child no writer exists that closed a word: closed places become free, or biased where
// needed(place, lock) says that the child itself holds the lock or may be about to. closing: a
// place that it has closed itself, in what a handler interrupted, or UC_BIAS_WORDS.
void uc_bias_word_forked(bool (*needed)(unsigned place, const void *lock, void *arg), void *arg,
                         unsigned closing);

#endif
