// SPDX-License-Identifier: MIT
// Owns how the operations are put together from bias, waiting and libc's lock, and whether they are
// at all. Must not know how each of the three works.
#include "rwlock.h"

#include "clock.h"
#include "hot.h"
#include "rwlock_wait.h"
#include "text.h"
#include "wipe.h"

#include "poison.h"

enum mode { MODE_OFF, MODE_SPIN, MODE_BIAS };

static enum mode mode;

// Who called the shim. The shims without a deadline jump to our functions, so that these return to
// that caller. To be used where somebody waits, and in functions that the shims call.
#define CALLER(wait) ((wait)->caller ? (wait)->caller : __builtin_return_address(0))

static struct uc_thread *record(void)
{
    return uc_likely(uc_tls.thread != NULL) ? uc_tls.thread : uc_thread_self();
}

// libc's read lock, for a reader that may have to wait or has something to report.
static int read_through_libc(struct uc_thread *self, pthread_rwlock_t *rw, unsigned place,
                             const struct uc_wait *wait, bool due, const void *caller)
{
    uint64_t begun = due ? uc_clock_now() : 0;
    int r = uc_wait_read(self, rw, wait, caller);
    // Under an open lock nobody writes. A writer who took libc's lock before it saw that gives it
    // back at once; nobody must be told of it.
    struct uc_backoff b = {0};
    while (r == EBUSY && uc_bias_open(uc_bias_look(place), rw) && uc_wait_again(&b))
        r = uc_wait_read(self, rw, wait, caller);
    if (r == 0) {
        uc_stat_add(self, UC_STAT_LOCK_READ_GLIBC, 1);
        if (due)
            uc_bias_note_reads(self, rw, place, begun);
    } else if (r == EBUSY || r == ETIMEDOUT) {
        uc_stat_add(self, UC_STAT_LOCK_BUSY, 1);
        if (r == EBUSY)
            uc_hot_note_of(self, rw, (uintptr_t)caller, 0, false);
    }
    return r;
}

static __attribute__((noinline)) int read_with_care(pthread_rwlock_t *rw, unsigned place,
                                                    const struct uc_wait *wait, const void *caller)
{
    struct uc_thread *self = record();
    if (uc_bias_open(uc_bias_look(place), rw) && self && uc_wait_valid(wait) &&
        uc_hold_take(self, rw, place)) {
        uc_stat_add(self, UC_STAT_LOCK_READ_FAST, 1);
        return 0;
    }
    bool due = mode == MODE_BIAS && self && uc_bias_due(self, place);
    return read_through_libc(self, rw, place, wait, due, caller);
}

int uc_rwlock_read_by(pthread_rwlock_t *rw, unsigned place, const struct uc_wait *wait)
{
    if (uc_unlikely(mode == MODE_OFF))
        return uc_libc_read(rw, wait);
    uc_fetch_to_write(rw);
    struct uc_thread *self = uc_tls.thread;
    if (uc_unlikely(!self) || wait->form != UC_FORM_PLAIN ||
        uc_unlikely(uc_bias_names(uc_bias_look(place), rw)) ||
        uc_unlikely(uc_libc_write_held(uc_libc_peek(rw))))
        return read_with_care(rw, place, wait, CALLER(wait));
    // What nearly all reads of a lock without bias do: as little as possible, and a jump.
    if (uc_unlikely(uc_bias_due(self, place)))
        return read_through_libc(self, rw, place, wait, mode == MODE_BIAS, CALLER(wait));
    UC_COUNT(self->block.stat[UC_STAT_LOCK_READ_GLIBC], 1);
    return uc_libc_rdlock(rw);
}

// Inlined, so that its caller is the one that the shim jumped to.
static inline __attribute__((always_inline)) int
take_write(struct uc_thread *self, pthread_rwlock_t *rw, const struct uc_wait *wait)
{
    int r = uc_wait_write(rw, wait);
    return uc_likely(r != UC_WAIT_ON) ? r : uc_wait_write_on(self, rw, wait, CALLER(wait));
}

// Takes a bias back: that is a wait, for the barrier and for readers.
static UC_COLD int close_bias(struct uc_thread *self, pthread_rwlock_t *rw, unsigned place,
                              const struct uc_wait *wait, bool *joined, const void *caller)
{
    uint64_t waits = self ? self->block.stat[UC_STAT_LOCK_WAITED] : 0;
    uint64_t begun = uc_clock_now();
    int r = uc_bias_close(self, rw, place, wait, joined);
    if (self && r != EBUSY)
        uc_hot_note_of(self, rw, (uintptr_t)caller | UC_HOT_WRITE, uc_clock_since(begun),
                       self->block.stat[UC_STAT_LOCK_WAITED] != waits);
    return r;
}

// libc's write lock, under which the lock has no fast readers.
static inline __attribute__((always_inline)) int write_closed(struct uc_thread *self,
                                                              pthread_rwlock_t *rw, unsigned place,
                                                              const struct uc_wait *wait)
{
    for (;;) {
        bool joined = false;
        int r = 0;
        if (uc_unlikely(uc_bias_open(uc_bias_look(place), rw)))
            r = close_bias(self, rw, place, wait, &joined, CALLER(wait));
        if (r)
            return r;
        r = take_write(self, rw, wait);
        if (uc_unlikely(joined))
            uc_bias_lower(self, place);
        if (r || uc_likely(!uc_bias_open(uc_bias_look(place), rw)))
            return r;
        // A reader gave bias after we looked. Waiting for fast readers with libc's lock in hand
        // would keep new readers out, and a holder may be waiting for one of those.
        (void)uc_libc_unlock(rw);
    }
}

int uc_rwlock_write(pthread_rwlock_t *rw, const struct uc_wait *wait)
{
    if (mode == MODE_OFF || uc_unlikely(!uc_wait_valid(wait)))
        return uc_libc_write(rw, wait);
    uc_fetch_to_write(rw);
    struct uc_thread *self = record();
    unsigned place = uc_bias_place(rw);
    int r = mode == MODE_BIAS ? write_closed(self, rw, place, wait) : take_write(self, rw, wait);
    if (uc_likely(r == 0)) {
        uc_stat_add(self, UC_STAT_LOCK_WRITE, 1);
        uc_bias_written(rw, place);
        if (self)
            self->writer = uc_libc_writer(rw);
    } else if (r == EBUSY || r == ETIMEDOUT) {
        uc_stat_add(self, UC_STAT_LOCK_BUSY, 1);
        if (r == EBUSY)
            uc_hot_note_of(self, rw, (uintptr_t)CALLER(wait) | UC_HOT_WRITE, 0, false);
    }
    return r;
}

static __attribute__((noinline)) int unlock_with_care(pthread_rwlock_t *rw, unsigned place)
{
    struct uc_thread *self = uc_tls.thread; // a thread's last destructors have none any more
    if (self && uc_hold_drop(self, rw, place))
        return 0;
    // A writer is not here: under it no lock is open.
    if (!uc_bias_open(uc_bias_look(place), rw))
        return uc_libc_unlock(rw);
    // Neither this thread's fast hold nor anybody's hold in libc: this one lets go for another. A
    // thread that has no record any more had a fast hold when it had one, if there is one like it.
    bool foreign = uc_libc_readers(uc_libc_peek(rw)) == 0;
    if ((foreign || !self) && uc_hold_drop_ghost(rw, place)) {
        uc_stat_add(self, UC_STAT_LOCK_FOREIGN, 1);
        return 0;
    }
    if (!foreign)
        return uc_libc_unlock(rw);
    uc_stat_add(self, UC_STAT_LOCK_FOREIGN, 1);
    return uc_bias_unlock_for_another(self, rw, place);
}

int uc_rwlock_unlock_by(pthread_rwlock_t *rw, unsigned place)
{
    // A word names a lock only when the engine is on.
    if (uc_unlikely(uc_bias_names(uc_bias_look(place), rw)))
        return unlock_with_care(rw, place);
    return uc_libc_unlock(rw);
}

int uc_rwlock_init(pthread_rwlock_t *rw, const pthread_rwlockattr_t *attr)
{
    if (mode == MODE_BIAS)
        uc_bias_forget(rw);
    return uc_libc_init(rw, attr);
}

int uc_rwlock_destroy(pthread_rwlock_t *rw)
{
    if (mode == MODE_BIAS)
        uc_bias_forget(rw);
    return uc_libc_destroy(rw);
}

static void describe(struct uc_state *state, const char *name, const char *reason)
{
    uc_text_copy(state->name, sizeof state->name, name);
    uc_text_copy(state->reason, sizeof state->reason, reason);
}

void uc_rwlock_start(const struct uc_options *o, struct uc_state *state)
{
    bool undisturbed = uc_libc_undisturbed(); // finds the originals too: no thread has to later
    const char *why = NULL;
    if (o->locks == UC_LOCKS_OFF)
        why = "UNCONTEND_LOCKS is off";
    else if (!undisturbed)
        why = "pthread_rwlock_* are not libc's own in this program";
    if (why) {
        describe(state, "off", why);
        return;
    }
    uc_wait_start();
    if (o->locks == UC_LOCKS_SPIN)
        why = "UNCONTEND_LOCKS is spin";
    else if (!uc_wipe_works()) // and a child's writers would wait for its parent's readers
        why = "no wipe-on-fork here: a fork by system call would go unseen";
    if (why) {
        describe(state, "spin", why);
        mode = MODE_SPIN;
        return;
    }
    bool barriers = uc_bias_start(o->test_eager_bias == UC_ON);
    describe(state, "on", barriers ? "" : "no membarrier here: each fast read has a fence");
    mode = MODE_BIAS;
}
