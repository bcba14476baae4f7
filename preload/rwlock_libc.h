// SPDX-License-Identifier: MIT
// Owns what is known of libc's reader-writer lock: its public layout, and its functions, reached
// through the originals. The only place of the lock engine that names either. Reads a lock's words
// with plain loads, as a hint; must never write them.
// Cost: a look is one or two loads of the lock's own line; a call is libc's function by a pointer.
#ifndef UC_RWLOCK_LIBC_H
#define UC_RWLOCK_LIBC_H

#include <errno.h>
#include <pthread.h>

#include "libc.h"
#include "real.h"

// The four shapes of each lock function.
enum uc_form { UC_FORM_PLAIN, UC_FORM_TRY, UC_FORM_TIMED, UC_FORM_CLOCK };

struct uc_wait {
    enum uc_form form;
    clockid_t clock;                 // of deadline; UC_FORM_TIMED: CLOCK_REALTIME
    const struct timespec *deadline; // UC_FORM_TIMED and UC_FORM_CLOCK, absolute
    const void *caller;              // of the shim; NULL: its function is jumped to from there
};

#if UC_GLIBC

// Bits of __readers since glibc 2.25; the number of readers stands above them.
enum {
    UC_LIBC_WRITE_PHASE = 1,
    UC_LIBC_WRITE_LOCKED = 2,
    UC_LIBC_READER_SHIFT = 3,
};

static inline unsigned uc_libc_peek(const pthread_rwlock_t *rw)
{
    return __atomic_load_n(&rw->__data.__readers, __ATOMIC_RELAXED);
}

static inline bool uc_libc_write_held(unsigned peeked)
{
    const unsigned both = UC_LIBC_WRITE_PHASE | UC_LIBC_WRITE_LOCKED;
    return (peeked & both) == both;
}

// Readers that have the lock. Those that are counted in a write phase still wait for it.
static inline unsigned uc_libc_readers(unsigned peeked)
{
    return peeked & UC_LIBC_WRITE_PHASE ? 0 : peeked >> UC_LIBC_READER_SHIFT;
}

static inline bool uc_libc_free_to_write(unsigned peeked)
{
    return !(peeked & UC_LIBC_WRITE_LOCKED) && peeked >> UC_LIBC_READER_SHIFT == 0;
}

// A writer has the lock or has announced itself.
static inline bool uc_libc_writer_near(const pthread_rwlock_t *rw)
{
    return (uc_libc_peek(rw) & UC_LIBC_WRITE_LOCKED) ||
           __atomic_load_n(&rw->__data.__writers, __ATOMIC_RELAXED) != 0;
}

// The thread that has the write lock, as the kernel numbers it, or 0.
static inline int uc_libc_writer(const pthread_rwlock_t *rw)
{
    return __atomic_load_n(&rw->__data.__cur_writer, __ATOMIC_RELAXED);
}

// Private to this process and of a kind that lets readers in while a writer waits.
static inline bool uc_libc_plain_kind(const pthread_rwlock_t *rw)
{
    return ((unsigned)rw->__data.__shared | rw->__data.__flags >> 1) == 0;
}

#else

// musl's lock: the number of readers, or all bits for a writer; under a bit that says that somebody
// waits. Then how many wait, for a writer's end or for readers'. Then whether it is shared.
enum { UC_LIBC_COUNT = INT32_MAX, UC_LIBC_WRITER = INT32_MAX };
enum { UC_LIBC_WORD, UC_LIBC_WAITERS, UC_LIBC_SHARED };

static inline unsigned uc_libc_peek(const pthread_rwlock_t *rw)
{
    return (unsigned)__atomic_load_n(&rw->__u.__vi[UC_LIBC_WORD], __ATOMIC_RELAXED);
}

static inline bool uc_libc_write_held(unsigned peeked)
{
    return (peeked & UC_LIBC_COUNT) == UC_LIBC_WRITER;
}

static inline unsigned uc_libc_readers(unsigned peeked)
{
    return uc_libc_write_held(peeked) ? 0 : peeked & UC_LIBC_COUNT;
}

static inline bool uc_libc_free_to_write(unsigned peeked)
{
    return (peeked & UC_LIBC_COUNT) == 0;
}

static inline bool uc_libc_writer_near(const pthread_rwlock_t *rw)
{
    return uc_libc_write_held(uc_libc_peek(rw)) ||
           __atomic_load_n(&rw->__u.__vi[UC_LIBC_WAITERS], __ATOMIC_RELAXED) != 0;
}

// Not noted there: a second lock by its writer waits for ever, or until its deadline.
static inline int uc_libc_writer(const pthread_rwlock_t *rw)
{
    (void)rw;
    return 0;
}

// There is no other kind: readers never wait for a writer that waits.
static inline bool uc_libc_plain_kind(const pthread_rwlock_t *rw)
{
    return rw->__u.__vi[UC_LIBC_SHARED] == 0;
}

#endif

// Too early for an original (another library's IFUNC resolver): there is one thread, and nothing to
// exclude.
int uc_libc_rdlock_early(pthread_rwlock_t *rw);
int uc_libc_unlock_early(pthread_rwlock_t *rw);

static inline int uc_libc_rdlock(pthread_rwlock_t *rw)
{
    if (uc_unlikely(!uc_real.pthread_rwlock_rdlock))
        return uc_libc_rdlock_early(rw);
    return uc_real.pthread_rwlock_rdlock(rw);
}

static inline int uc_libc_unlock(pthread_rwlock_t *rw)
{
    if (uc_unlikely(!uc_real.pthread_rwlock_unlock))
        return uc_libc_unlock_early(rw);
    return uc_real.pthread_rwlock_unlock(rw);
}

static inline int uc_libc_trywrlock(pthread_rwlock_t *rw)
{
    return UC_REAL_READY(pthread_rwlock_trywrlock) ? uc_real.pthread_rwlock_trywrlock(rw) : 0;
}

int uc_libc_read(pthread_rwlock_t *rw, const struct uc_wait *wait);
int uc_libc_write(pthread_rwlock_t *rw, const struct uc_wait *wait);
int uc_libc_init(pthread_rwlock_t *rw, const pthread_rwlockattr_t *attr);
int uc_libc_destroy(pthread_rwlock_t *rw);

// True when every function of the lock is libc's own behind us and ours in front, so that its
// layout is libc's. Names that an older libc does not have do not count.
bool uc_libc_undisturbed(void);

#endif
