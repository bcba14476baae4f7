// SPDX-License-Identifier: MIT
// A new thread that takes a read lock, by the fast path if there is one, and goes on holding it:
// somebody else gives it back. It ends when told to. One at a time.
#ifndef HOLDER_H
#define HOLDER_H

#include "locks.h"

static struct {
    pthread_t thread;
    sem_t holds, over;
} holder;

static inline void *holder_main(void *lock)
{
    CHECK_IS(warm_and_hold((pthread_rwlock_t *)lock), 0);
    CHECK_IS(sem_post(&holder.holds), 0);
    while (sem_wait(&holder.over) != 0) {
    }
    return NULL;
}

// Returns when it holds the lock.
static inline void holder_begin(pthread_rwlock_t *lock)
{
    CHECK_IS(sem_init(&holder.holds, 0, 0), 0);
    CHECK_IS(sem_init(&holder.over, 0, 0), 0);
    holder.thread = check_thread(holder_main, lock);
    while (sem_wait(&holder.holds) != 0) {
    }
}

static inline void holder_end(void)
{
    CHECK_IS(sem_post(&holder.over), 0);
    check_join(holder.thread);
}

#endif
