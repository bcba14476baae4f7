// SPDX-License-Identifier: MIT
// Two ways of using the same locks: the plain names of this program, and another set of functions
// (older symbol versions, a plug-in's own, a copy of libc). Whether each excludes the other, step
// by step and under load.
#ifndef VERSUS_H
#define VERSUS_H

#include "locks.h"

struct way {
    lock_function *read, *try_read, *write, *try_write, *unlock;
};

static const struct way plain_names = {pthread_rwlock_rdlock, pthread_rwlock_tryrdlock,
                                       pthread_rwlock_wrlock, pthread_rwlock_trywrlock,
                                       pthread_rwlock_unlock};

static struct actor versus_other;

// Main holds by `mine`; another thread asks by `theirs`.
static inline void versus_in_steps(const struct way *mine, const struct way *theirs,
                                   pthread_rwlock_t *lock)
{
    struct actor *other = &versus_other;

    lock_warm(lock);
    CHECK_IS(mine->read(lock), 0);
    CHECK_IS(actor_do(other, theirs->try_write, lock), EBUSY);
    CHECK_IS(actor_do(other, theirs->try_read, lock), 0);
    CHECK_IS(actor_do(other, theirs->unlock, lock), 0);
    CHECK_IS(actor_do(other, theirs->read, lock), 0);
    CHECK_IS(actor_do(other, theirs->unlock, lock), 0);
    actor_ask(other, theirs->write, lock);
    CHECK_BLOCKS(other, "a writer behind a reader");
    CHECK_IS(mine->unlock(lock), 0);
    CHECK_IS(actor_answer(other), 0);
    CHECK_IS(mine->try_read(lock), EBUSY);
    CHECK_IS(mine->try_write(lock), EBUSY);
    CHECK_IS(actor_do(other, theirs->unlock, lock), 0);

    CHECK_IS(mine->write(lock), 0);
    CHECK_IS(actor_do(other, theirs->try_read, lock), EBUSY);
    CHECK_IS(actor_do(other, theirs->try_write, lock), EBUSY);
    actor_ask(other, theirs->read, lock);
    CHECK_BLOCKS(other, "a reader behind a writer");
    CHECK_IS(mine->unlock(lock), 0);
    CHECK_IS(actor_answer(other), 0);
    CHECK_IS(mine->try_write(lock), EBUSY);
    CHECK_IS(actor_do(other, theirs->unlock, lock), 0);
    CHECK_IS(mine->try_write(lock), 0);
    CHECK_IS(mine->unlock(lock), 0);
}

struct versus_load {
    const struct way *reads, *writes;
    struct guarded *it;
};

static inline void *versus_read(void *arg)
{
    const struct versus_load *load = (const struct versus_load *)arg;

    for (long i = 0; i < check_count(60000, 3000000); i++) {
        CHECK_IS(load->reads->read(&load->it->lock), 0);
        guarded_look(load->it);
        CHECK_IS(load->reads->unlock(&load->it->lock), 0);
    }
    return NULL;
}

static inline void *versus_write(void *arg)
{
    const struct versus_load *load = (const struct versus_load *)arg;

    for (long i = 0; i < check_count(300, 15000); i++) {
        for (int tries = 0; tries < 100; tries++) {
            if (load->writes->try_read(&load->it->lock) != 0)
                continue;
            guarded_look(load->it);
            CHECK_IS(load->writes->unlock(&load->it->lock), 0);
        }
        if (i % 2 || load->writes->try_write(&load->it->lock) != 0)
            CHECK_IS(load->writes->write(&load->it->lock), 0);
        guarded_change(load->it);
        CHECK_IS(load->writes->unlock(&load->it->lock), 0);
    }
    return NULL;
}

static inline void versus_under_load(const struct way *reads, const struct way *writes)
{
    static struct guarded it;
    struct versus_load load = {reads, writes, &it};
    long before = it.first;
    pthread_t readers[2], writer;

    lock_warm(&it.lock);
    for (int i = 0; i < 2; i++)
        readers[i] = check_thread(versus_read, &load);
    writer = check_thread(versus_write, &load);
    for (int i = 0; i < 2; i++)
        check_join(readers[i]);
    check_join(writer);
    CHECK_IS(it.first, before + check_count(300, 15000));
    CHECK_IS(it.second, it.first);
}

static inline void versus(const struct way *one, const struct way *two)
{
    static pthread_rwlock_t lock;

    if (!versus_other.tid)
        actor_start(&versus_other);
    for (int i = 0; i < 4; i++) {
        versus_in_steps(one, two, &lock);
        versus_in_steps(two, one, &lock);
    }
    versus_under_load(one, two);
    versus_under_load(two, one);
}

#endif
