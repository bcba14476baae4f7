// SPDX-License-Identifier: MIT
// Owns the waiting before libc's own waiting: a bounded number of looks at a lock, with a growing
// pause between them. Looks are loads; a lock is only written when it looked free. Must not wait
// without a bound, nor at all where another CPU could not release the lock meanwhile.
// Cost: to a writer of a free lock a look, and libc's try instead of its lock. Who has to wait pays
// two reads of the CPU's clock, a note (hot.h), and up to UC_LOOKS_MOST looks' pauses before the
// system call that libc would have made at once.
#ifndef UC_RWLOCK_WAIT_H
#define UC_RWLOCK_WAIT_H

#include "rwlock_libc.h"
#include "rwlock_looks.h"
#include "thread.h"

// At most UC_LOOKS_MOST looks, 4 to 64 pauses apart: some tens of microseconds. Long enough for the
// holder of a short section on another CPU, too short to matter when it was descheduled. Three
// looks lose most of the gain, more looks cost CPU when threads outnumber CPUs.
enum { UC_WAIT_FIRST = 4, UC_WAIT_MOST = 64 };

struct uc_backoff {
    unsigned looks;
    unsigned pauses;
    unsigned most; // looks; 0: UC_LOOKS_MOST
};

// Once, at start-up.
void uc_wait_start(void);

// Pauses before the next look. False: it is time to sleep.
bool uc_wait_again(struct uc_backoff *b);

// The lock, in the given form: tried while it looks busy, then waited for by libc. What libc's
// function would return. caller: for the table of hot locks.
int uc_wait_read(struct uc_thread *self, pthread_rwlock_t *rw, const struct uc_wait *wait,
                 const void *caller);
// To write, in two parts, so that a free lock costs nothing for the caller's name. UC_WAIT_ON,
// which is no errno: it was not free, call the second.
enum { UC_WAIT_ON = -1 };
int uc_wait_write(pthread_rwlock_t *rw, const struct uc_wait *wait);
int uc_wait_write_on(struct uc_thread *self, pthread_rwlock_t *rw, const struct uc_wait *wait,
                     const void *caller);

// False: libc would answer EINVAL, whatever the lock.
bool uc_wait_deadline_valid(const struct uc_wait *wait);
static inline bool uc_wait_valid(const struct uc_wait *wait)
{
    return wait->form == UC_FORM_PLAIN || wait->form == UC_FORM_TRY || uc_wait_deadline_valid(wait);
}

#endif
