// SPDX-License-Identifier: MIT
// Owns the order of steps in giving and taking bias. Must not wait for a reader with libc's lock in
// hand: that would keep new readers out, and a holder may be waiting for one of those.
#include "bias.h"

#include "clock.h"
#include "rwlock_wait.h"
#include "text.h"

#include "poison.h"

struct uc_policy uc_bias_policy[UC_BIAS_WORDS];

static bool giving;
static bool forbidden; // also before the start: a plug-in may be loaded by an earlier constructor
static bool ended;     // and whoever forbade it has seen to it
static bool hasty;     // without those who were busy
static uint32_t busy;  // threads about to give bias, or to pass the barrier
static const struct uc_tls *hander; // the thread that has libc's locks count fast holds
static bool eager;
static uint64_t usual_cost; // of a revocation, in ticks
static uint64_t clock_cost; // of reading the ticks

enum {
    MOST_SPENT = 4096, // ticks; a reader that took longer was waiting for a writer
    MOST_NAPS = 100,   // for a thread that may be interrupted by the handler that waits for it
};
uint32_t uc_bias_sampled = UC_BIAS_SAMPLE - 1;

static void stop_giving(const char *why)
{
    if (__atomic_exchange_n(&giving, false, __ATOMIC_SEQ_CST))
        uc_text_copy(uncontend_root.locks.reason, sizeof uncontend_root.locks.reason, why);
}

static void await(bool (*done)(void))
{
    for (int i = 0; i < MOST_NAPS && !done(); i++)
        uc_bias_nap();
}

static bool is_forbidden(void)
{
    return __atomic_load_n(&forbidden, __ATOMIC_SEQ_CST);
}

static bool has_ended(void)
{
    return __atomic_load_n(&ended, __ATOMIC_SEQ_CST);
}

static bool nobody_is_busy(void)
{
    return __atomic_load_n(&busy, __ATOMIC_SEQ_CST) == 0;
}

static bool nobody_hands_over(void)
{
    return __atomic_load_n(&hander, __ATOMIC_SEQ_CST) == NULL;
}

// So that a handler that forks does not undo it in the child, which returns here.
static bool close_word(struct uc_thread *self, unsigned place, const void *lock, bool *first)
{
    if (self)
        self->closing = place + 1;
    uc_compiler_barrier();
    bool closed = uc_bias_word_close(place, lock, first);
    if (!closed && self)
        self->closing = 0;
    return closed;
}

void uc_bias_lower(struct uc_thread *self, unsigned place)
{
    uc_bias_word_lower(place);
    uc_compiler_barrier();
    if (self)
        self->closing = 0;
}

// After a change of a word. Once bias is forbidden, whoever forbade it passes the barrier for all.
static void pass_barrier(struct uc_thread *self)
{
    if (!uc_bias_needs_barrier(self))
        return;
    __atomic_fetch_add(&busy, 1, __ATOMIC_SEQ_CST);
    bool mine = !is_forbidden();
    bool passed = !mine || uc_bias_barrier(self);
    __atomic_fetch_sub(&busy, 1, __ATOMIC_SEQ_CST);
    if (!passed)
        stop_giving("membarrier was refused after the start: no lock is given bias any more");
    if (!mine)
        await(has_ended);
}

static bool is_drained(unsigned place, const void *lock)
{
    if (!uc_bias_open(uc_bias_look(place), lock))
        return true;
    if (uc_hold_find(place, lock) != UC_HOLD_NOBODY)
        return false;
    // Whoever hands over says so and looks at the holds then: the lock must not end under it.
    atomic_thread_fence(memory_order_seq_cst);
    return nobody_hands_over();
}

static int drain(struct uc_thread *self, unsigned place, const void *lock,
                 const struct uc_wait *wait)
{
    struct uc_backoff b = {0};
    do {
        if (is_drained(place, lock))
            return 0;
    } while (uc_wait_again(&b));
    uc_stat_add(self, UC_STAT_LOCK_WAITED, 1);
    int r = 0;
    uc_bias_sleep_begin();
    for (;;) {
        uint32_t seen = uc_bias_sleep_seen();
        if (is_drained(place, lock)) {
            r = 0;
            break;
        }
        if (r)
            break;
        r = uc_bias_sleep(seen, wait);
    }
    uc_bias_sleep_end();
    return r;
}

static void learn(struct uc_thread *self, unsigned place, const void *lock, uint64_t begun)
{
    uint64_t usual = __atomic_load_n(&usual_cost, __ATOMIC_RELAXED);
    usual = uc_policy_usual(usual, uc_clock_since(begun));
    __atomic_store_n(&usual_cost, usual, __ATOMIC_RELAXED);
    uc_policy_revoked(&uc_bias_policy[place], (uintptr_t)lock, begun, usual);
    uc_stat_add(self, UC_STAT_LOCK_REVOKED, 1);
}

int uc_bias_close(struct uc_thread *self, pthread_rwlock_t *rw, unsigned place,
                  const struct uc_wait *wait, bool *joined)
{
    bool first;
    *joined = false;
    while (!uc_thread_notice_fork()) {
        if (wait->form == UC_FORM_TRY)
            return EBUSY;
        uc_bias_nap();
    }
    // A try that meets a reader changes nothing.
    if (wait->form == UC_FORM_TRY && uc_hold_find(place, rw) == UC_HOLD_SOME &&
        uc_bias_open(uc_bias_look(place), rw))
        return EBUSY;
    uint64_t begun = uc_clock_now();
    if (!close_word(self, place, rw, &first))
        return 0;
    pass_barrier(self);
    if (first)
        learn(self, place, rw, begun);
    int r = 0;
    if (wait->form != UC_FORM_TRY)
        r = drain(self, place, rw, wait);
    else if (!is_drained(place, rw))
        r = EBUSY;
    if (r) {
        uc_bias_lower(self, place);
        return r;
    }
    uc_bias_word_drained(place);
    *joined = true;
    return 0;
}

// Takes a place from an owner that may be long dead. Never touches the owner's memory.
static void evict(struct uc_thread *self, unsigned place)
{
    const void *owner = (const void *)(uc_bias_look(place) & UC_BIAS_LOCK);
    bool first;
    if (!owner || !close_word(self, place, owner, &first))
        return;
    pass_barrier(self);
    if (is_drained(place, owner))
        uc_bias_word_drained(place);
    if (first)
        uc_stat_add(self, UC_STAT_LOCK_REVOKED, 1);
    uc_bias_lower(self, place);
}

// Has a closed lock's holds counted by libc.
static void hand_over(unsigned place)
{
    uintptr_t word = uc_bias_look(place);
    if (!(word & UC_BIAS_CLOSED) || (word & UC_BIAS_DRAINED))
        return;
    const struct uc_tls *none = NULL;
    while (!__atomic_compare_exchange_n(&hander, &none, &uc_tls, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST) &&
           none != &uc_tls) {
        uc_bias_nap();
        none = NULL;
    }
    atomic_thread_fence(memory_order_seq_cst); // see is_drained
    uc_hold_hand_over((pthread_rwlock_t *)(word & UC_BIAS_LOCK), place);
    uc_bias_word_drained(place);
    __atomic_store_n(&hander, NULL, __ATOMIC_SEQ_CST);
    uc_bias_wake(place);
}

// Closes a place and never lowers it. False: nobody reads by it.
static bool close_for_good(unsigned place)
{
    bool first;
    const void *lock = (const void *)(uc_bias_look(place) & UC_BIAS_LOCK);
    return lock && uc_bias_word_close(place, lock, &first);
}

static void give(struct uc_thread *self, pthread_rwlock_t *rw, unsigned place)
{
    // Whoever forbids bias says so first, waits for those who are busy, and looks at the words
    // then.
    __atomic_fetch_add(&busy, 1, __ATOMIC_SEQ_CST);
    bool given = !is_forbidden() && uc_bias_word_give(place, rw);
    __atomic_fetch_sub(&busy, 1, __ATOMIC_SEQ_CST);
    if (!given)
        return;
    uc_policy_given(&uc_bias_policy[place], (uintptr_t)rw, uc_clock_now());
    uc_stat_add(self, UC_STAT_LOCK_BIASED, 1);
    if (uc_unlikely(__atomic_load_n(&hasty, __ATOMIC_SEQ_CST)) && close_for_good(place)) {
        if (uc_bias_needs_barrier(self))
            (void)uc_bias_barrier(self);
        hand_over(place);
    }
}

void uc_bias_note_reads(struct uc_thread *self, pthread_rwlock_t *rw, unsigned place,
                        uint64_t begun)
{
    if (!uc_thread_notice_fork() || !__atomic_load_n(&giving, __ATOMIC_RELAXED) ||
        !uc_libc_plain_kind(rw) || uc_libc_writer_near(rw) || ((uintptr_t)rw & ~UC_BIAS_LOCK))
        return;
    struct uc_policy *p = &uc_bias_policy[place];
    uintptr_t owner = uc_bias_look(place) & UC_BIAS_LOCK;
    uint64_t now = uc_clock_now();
    uint64_t spent = now - begun > clock_cost ? now - begun - clock_cost : 0;
    struct uc_reads r = {(uintptr_t)rw, UC_BIAS_SAMPLE, spent < MOST_SPENT ? spent : MOST_SPENT,
                         now};
    enum uc_verdict verdict = uc_policy_read(p, owner, &r);
    uc_bias_mark(place);
    if (verdict == UC_VERDICT_EVICT)
        evict(self, place);
    else if (verdict == UC_VERDICT_GIVE ||
             (eager && !owner && uc_policy_seen(p) >= 2 * UC_BIAS_SAMPLE))
        give(self, rw, place);
}

void uc_bias_forget(pthread_rwlock_t *rw)
{
    unsigned place = uc_bias_place(rw);
    if (uc_likely(!uc_bias_is_marked(place)))
        return;
    uc_bias_written(rw, place);
    if (uc_likely(!uc_bias_names(uc_bias_look(place), rw)))
        return;
    (void)uc_thread_notice_fork();
    while (uc_hold_drop_any(rw, place))
        ;
    uc_bias_word_clear(place, rw);
    atomic_thread_fence(memory_order_seq_cst); // see is_drained
    await(nobody_hands_over);
}

int uc_bias_unlock_for_another(struct uc_thread *self, pthread_rwlock_t *rw, unsigned place)
{
    bool first;
    uint64_t begun = uc_clock_now();
    if (uc_hold_find(place, rw) == UC_HOLD_SOME && close_word(self, place, rw, &first)) {
        pass_barrier(self);
        hand_over(place);
        if (first)
            learn(self, place, rw, begun);
        uc_bias_lower(self, place);
    }
    // Nobody's: in the parent a thread holds it, which this process does not have.
    return uc_libc_readers(uc_libc_peek(rw)) == 0 ? 0 : uc_libc_unlock(rw);
}

// True: this caller has to end all bias, and does so.
static bool end_all(void)
{
    if (__atomic_exchange_n(&forbidden, true, __ATOMIC_SEQ_CST))
        return false;
    await(nobody_is_busy);
    if (!nobody_is_busy())
        __atomic_store_n(&hasty, true, __ATOMIC_SEQ_CST);
    bool any = false;
    for (unsigned i = 0; i < UC_BIAS_WORDS; i++)
        any |= close_for_good(i);
    if (any && uc_bias_needs_barrier(uc_tls.thread))
        (void)uc_bias_barrier(uc_tls.thread);
    __atomic_store_n(&ended, true, __ATOMIC_SEQ_CST);
    return true;
}

void uc_bias_forbid(const char *why, bool past_us)
{
    stop_giving(why);
    if (uc_text_glob("on", uncontend_root.locks.name))
        uc_text_copy(uncontend_root.locks.name, sizeof uncontend_root.locks.name, "spin");
    if (!end_all())
        await(has_ended);
    for (unsigned i = 0; past_us && i < UC_BIAS_WORDS; i++)
        hand_over(i);
}

// Also an entry that is not confirmed: a handler forked, and the child returns into the taking,
// where the word may have been looked at already.
static bool is_in_own_entry(unsigned place, const void *lock, void *self)
{
    return self && atomic_load_explicit(&uc_hold_entry(self, place)->lock, memory_order_relaxed) ==
                       (uintptr_t)lock;
}

// The child's writers are gone with their threads; its own holds are not.
static void process_forked(struct uc_thread *self)
{
    uc_bias_sleep_forked();
    if (giving) // else what is closed stays closed
        uc_bias_word_forked(is_in_own_entry, self,
                            self && self->closing ? self->closing - 1 : UC_BIAS_WORDS);
    if (!nobody_hands_over() && hander != &uc_tls)
        hander = NULL;
    if (!is_forbidden() || has_ended())
        return;
    for (unsigned i = 0; i < UC_BIAS_WORDS; i++)
        (void)close_for_good(i);
    __atomic_store_n(&ended, true, __ATOMIC_SEQ_CST);
}

bool uc_bias_start(bool eager_wanted)
{
    bool barriers = uc_bias_word_start();
    eager = eager_wanted;
    if (eager)
        uc_bias_sampled = 0;
    uc_thread_on_exit(uc_hold_thread_ends);
    uc_thread_on_fork(process_forked);
    clock_cost = UINT64_MAX;
    for (int i = 0; i < 16; i++) {
        uint64_t begun = uc_clock_now();
        uint64_t took = uc_clock_since(begun);
        clock_cost = took < clock_cost ? took : clock_cost;
    }
    giving = !forbidden;
    return barriers;
}
