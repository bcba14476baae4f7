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
static bool eager;
static uint64_t usual_cost; // of a revocation, in ticks
static uint64_t clock_cost; // of reading the ticks

enum { MOST_SPENT = 4096 }; // ticks; a reader that took longer was waiting for a writer
uint32_t uc_bias_sampled = UC_BIAS_SAMPLE - 1;

static void stop_giving(const char *why)
{
    if (__atomic_exchange_n(&giving, false, __ATOMIC_SEQ_CST))
        uc_text_copy(uncontend_root.locks.reason, sizeof uncontend_root.locks.reason, why);
}

static bool pass_barrier(struct uc_thread *self)
{
    bool passed = uc_bias_barrier(self);
    if (!passed)
        stop_giving("membarrier was refused after the start: no lock is given bias any more");
    return passed;
}

static bool is_drained(unsigned place, const void *lock)
{
    return !uc_bias_open(uc_bias_look(place), lock) || uc_hold_find(place, lock) == UC_HOLD_NOBODY;
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
    if (!uc_bias_word_close(place, rw, &first))
        return 0;
    (void)pass_barrier(self);
    if (first)
        learn(self, place, rw, begun);
    int r = 0;
    if (wait->form != UC_FORM_TRY)
        r = drain(self, place, rw, wait);
    else if (!is_drained(place, rw))
        r = EBUSY;
    if (r) {
        uc_bias_word_lower(place);
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
    if (!owner || !uc_bias_word_close(place, owner, &first))
        return;
    (void)pass_barrier(self);
    if (is_drained(place, owner))
        uc_bias_word_drained(place);
    if (first)
        uc_stat_add(self, UC_STAT_LOCK_REVOKED, 1);
    uc_bias_word_lower(place);
}

// Has a closed lock's holds counted by libc.
static void hand_over(unsigned place)
{
    uintptr_t word = uc_bias_look(place);
    if (!(word & UC_BIAS_CLOSED) || (word & UC_BIAS_DRAINED))
        return;
    uc_hold_hand_over((pthread_rwlock_t *)(word & UC_BIAS_LOCK), place);
    uc_bias_word_drained(place);
}

// Closes a place and never lowers it. False: it is nobody's, so nobody reads by it.
static bool close_for_good(unsigned place)
{
    bool first;
    const void *lock = (const void *)(uc_bias_look(place) & UC_BIAS_LOCK);
    if (lock)
        (void)uc_bias_word_close(place, lock, &first);
    return lock != NULL;
}

static void give(struct uc_thread *self, pthread_rwlock_t *rw, unsigned place)
{
    if (!uc_bias_word_give(place, rw))
        return;
    uc_policy_given(&uc_bias_policy[place], (uintptr_t)rw, uc_clock_now());
    uc_stat_add(self, UC_STAT_LOCK_BIASED, 1);
    // Whoever forbids says so first and looks at the words then: one of the two takes this one
    // away.
    if (uc_unlikely(__atomic_load_n(&forbidden, __ATOMIC_SEQ_CST))) {
        (void)close_for_good(place);
        (void)pass_barrier(self);
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
}

void uc_bias_forbid(const char *why)
{
    __atomic_store_n(&forbidden, true, __ATOMIC_SEQ_CST);
    stop_giving(why);
    if (uc_text_glob("on", uncontend_root.locks.name))
        uc_text_copy(uncontend_root.locks.name, sizeof uncontend_root.locks.name, "spin");
    bool any = false;
    for (unsigned i = 0; i < UC_BIAS_WORDS; i++)
        any |= close_for_good(i);
    if (!any) // and no system call that a filter could kill for
        return;
    (void)pass_barrier(uc_tls.thread);
    for (unsigned i = 0; i < UC_BIAS_WORDS; i++)
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
    if (giving) // else what is closed stays closed
        uc_bias_word_forked(is_in_own_entry, self);
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
