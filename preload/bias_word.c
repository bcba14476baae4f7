// SPDX-License-Identifier: MIT
// Owns every change of a word. Each is one compare-and-swap: a fork or a signal may come between
// any two of them.
#include "bias_word.h"

#include "now.h"
#include "sys.h"

#include "poison.h"

_Atomic(uintptr_t) uc_bias_word[UC_BIAS_WORDS] __attribute__((aligned(UC_PAGE)));

_Atomic(uint8_t) uc_bias_marked[UC_BIAS_WORDS];

static uintptr_t tag;

// Writers sleep on `left`; whoever ends a fast hold of a closed lock counts it up.
static _Atomic(uint32_t) left;
static _Atomic(uint32_t) sleepers;

enum { NAP_NS = 1000000 }; // far more than a store needs to leave a CPU

void uc_bias_nap(void)
{
    static const uint32_t never = 0;
    const uint64_t end = uc_now() + NAP_NS;
    const struct timespec until = {.tv_sec = (time_t)(end / 1000000000),
                                   .tv_nsec = (long)(end % 1000000000)};
    uint64_t now;
    do {
        (void)uc_sys_futex_wait(&never, 0, CLOCK_MONOTONIC, &until);
        now = uc_now();
    } while (now != 0 && now < end); // 0: refused, and so it stays
}

bool uc_bias_word_start(void)
{
    bool there = uc_sys_membarrier(UC_MEMBARRIER_REGISTER) == 0;
    tag = there ? 0 : UC_BIAS_FENCED;
    return there;
}

void uc_bias_mark(unsigned place)
{
    if (!uc_bias_is_marked(place))
        atomic_store_explicit(&uc_bias_marked[place], 1, memory_order_relaxed);
}

void uc_bias_unmark(unsigned place)
{
    if (uc_bias_look(place) != 0)
        return;
    // Sequentially consistent: pairs with the giver's exchange, which comes before its mark. Either
    // the word is seen here, or the mark comes after this store.
    atomic_store_explicit(&uc_bias_marked[place], 0, memory_order_seq_cst);
    if (atomic_load_explicit(&uc_bias_word[place], memory_order_seq_cst) != 0)
        atomic_store_explicit(&uc_bias_marked[place], 1, memory_order_relaxed);
}

bool uc_bias_word_give(unsigned place, const void *lock)
{
    uintptr_t none = 0;
    // Release: what the giver saw under libc's lock comes before every fast read.
    if (!atomic_compare_exchange_strong_explicit(&uc_bias_word[place], &none, (uintptr_t)lock | tag,
                                                 memory_order_seq_cst, memory_order_relaxed))
        return false;
    // Not only where it is not marked: somebody may be about to clear it.
    atomic_store_explicit(&uc_bias_marked[place], 1, memory_order_seq_cst);
    return true;
}

bool uc_bias_word_close(unsigned place, const void *lock, bool *first)
{
    uintptr_t word = uc_bias_look(place);
    uintptr_t now;
    do {
        while (word >> 48 == UINT16_MAX && uc_bias_open(word, lock)) {
            uc_bias_nap(); // as many writers as can be counted
            word = uc_bias_look(place);
        }
        if (!uc_bias_open(word, lock))
            return false;
        *first = !(word & UC_BIAS_CLOSED);
        now = *first ? (uintptr_t)lock | UC_BIAS_CLOSED | UC_BIAS_ONE : word + UC_BIAS_ONE;
        // Sequentially consistent: pairs with the fence of readers that have to fence.
    } while (!atomic_compare_exchange_weak_explicit(&uc_bias_word[place], &word, now,
                                                    memory_order_seq_cst, memory_order_acquire));
    return true;
}

void uc_bias_word_drained(unsigned place)
{
    // Release: pairs with the look of a writer that takes the word's word for it.
    atomic_fetch_or_explicit(&uc_bias_word[place], UC_BIAS_DRAINED, memory_order_acq_rel);
}

void uc_bias_word_lower(unsigned place)
{
    uintptr_t word = uc_bias_look(place);
    uintptr_t now;
    do {
        if (word >> 48 > 1)
            now = word - UC_BIAS_ONE;
        else
            now = word & UC_BIAS_DRAINED ? 0 : (word & UC_BIAS_LOCK) | tag;
        // Release: pairs with the look of the next reader or writer of this place.
    } while (!atomic_compare_exchange_weak_explicit(&uc_bias_word[place], &word, now,
                                                    memory_order_acq_rel, memory_order_acquire));
}

void uc_bias_word_clear(unsigned place, const void *lock)
{
    uintptr_t word = (uintptr_t)lock | tag;
    (void)atomic_compare_exchange_strong_explicit(&uc_bias_word[place], &word, 0,
                                                  memory_order_acq_rel, memory_order_relaxed);
}

// No other thread can be in a fast read: then there is nobody to pass a barrier, and a sandboxed
// child need not make a system call for it.
static bool is_alone(const struct uc_thread *self)
{
    // Pairs with the fence of a thread that takes its record.
    atomic_thread_fence(memory_order_seq_cst);
    uint32_t n = uc_thread_high();
    for (uint32_t i = 0; i < n; i++) {
        struct uc_thread *t = uc_thread_at(i);
        // Acquire: pairs with the end of a thread, whose holds are looked at afterwards.
        if (t && t != self && atomic_load_explicit(&t->life, memory_order_acquire) == UC_LIFE_LIVE)
            return false;
    }
    return true;
}

bool uc_bias_needs_barrier(const struct uc_thread *self)
{
    return tag != UC_BIAS_FENCED && !is_alone(self);
}

bool uc_bias_barrier(struct uc_thread *self)
{
    uc_stat_add(self, UC_STAT_LOCK_BARRIERS, 1);
    int r = uc_sys_membarrier(UC_MEMBARRIER_EXPEDITED);
    if (r == -EPERM && uc_sys_membarrier(UC_MEMBARRIER_REGISTER) == 0)
        r = uc_sys_membarrier(UC_MEMBARRIER_EXPEDITED);
    if (r < 0)
        uc_bias_nap();
    return r == 0;
}

void uc_bias_wake(unsigned place)
{
    if (tag == UC_BIAS_FENCED)
        atomic_thread_fence(memory_order_seq_cst); // the caller's store, then the look
    if (!(atomic_load_explicit(&uc_bias_word[place], memory_order_relaxed) & UC_BIAS_CLOSED))
        return;
    // Full barriers on both sides: a sleeper counts itself before it reads `left`.
    atomic_fetch_add_explicit(&left, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&sleepers, memory_order_seq_cst) != 0)
        uc_sys_futex_wake_all((const uint32_t *)&left);
}

void uc_bias_sleep_begin(void)
{
    atomic_fetch_add_explicit(&sleepers, 1, memory_order_seq_cst);
}

uint32_t uc_bias_sleep_seen(void)
{
    return atomic_load_explicit(&left, memory_order_seq_cst);
}

int uc_bias_sleep(uint32_t seen, const struct uc_wait *wait)
{
    if (wait->deadline && wait->deadline->tv_sec < 0)
        return ETIMEDOUT; // the kernel would call it invalid
    int r = uc_sys_futex_wait((const uint32_t *)&left, seen, wait->clock, wait->deadline);
    if (r == -ETIMEDOUT)
        return ETIMEDOUT;
    if (r < 0 && r != -EAGAIN && r != -EINTR)
        uc_bias_nap(); // refused: not for the CPU to pay
    return 0;
}

void uc_bias_sleep_end(void)
{
    atomic_fetch_sub_explicit(&sleepers, 1, memory_order_relaxed);
}

// It stays counted as a sleeper: one too many costs a wake-up.
void uc_bias_sleep_forked(void)
{
    atomic_fetch_add_explicit(&left, 1, memory_order_relaxed);
}

void uc_bias_word_forked(bool (*needed)(unsigned place, const void *lock, void *arg), void *arg,
                         unsigned closing)
{
    for (unsigned i = 0; i < UC_BIAS_WORDS; i++) {
        uintptr_t word = atomic_load_explicit(&uc_bias_word[i], memory_order_relaxed);
        if (!(word & UC_BIAS_CLOSED))
            continue;
        uintptr_t lock = word & UC_BIAS_LOCK;
        if (i == closing) {
            atomic_store_explicit(&uc_bias_word[i], (word & (UC_BIAS_ONE - 1)) | UC_BIAS_ONE,
                                  memory_order_relaxed);
            continue;
        }
        // Drained: nobody holds it, and a writer that does not exist may have libc's lock.
        bool keep = !(word & UC_BIAS_DRAINED) && needed(i, (const void *)lock, arg);
        atomic_store_explicit(&uc_bias_word[i], keep ? lock | tag : 0, memory_order_relaxed);
    }
}
