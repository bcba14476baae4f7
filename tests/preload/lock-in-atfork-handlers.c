// SPDX-License-Identifier: MIT
// claim: locks taken before a fork by atfork handlers can be given back after it on both sides
// matrix: locks
//
// The usual way to have a consistent child: take the locks in the prepare handler, give them back
// in the parent, give them back or make them new in the child; while other threads use them.
#include "lib/locks.h"

enum { USERS = 3 };

static struct guarded read_over_fork, written_over_fork;
static int stop;

static void prepare(void)
{
    CHECK_IS(pthread_rwlock_wrlock(&written_over_fork.lock), 0);
    CHECK_IS(pthread_rwlock_rdlock(&read_over_fork.lock), 0);
}

static void in_parent(void)
{
    guarded_look(&read_over_fork);
    release(&read_over_fork.lock);
    guarded_change(&written_over_fork);
    release(&written_over_fork.lock);
}

static void in_child(void)
{
    guarded_look(&read_over_fork);
    guarded_look(&written_over_fork);
    release(&read_over_fork.lock);
    CHECK_IS(pthread_rwlock_init(&written_over_fork.lock, NULL), 0);
}

static int child(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        read_times(&written_over_fork.lock, 100);
        CHECK_IS(pthread_rwlock_wrlock(&written_over_fork.lock), 0);
        guarded_change(&written_over_fork);
        release(&written_over_fork.lock);
    }
    // Readers of other threads may be counted in it for ever, as with glibc.
    CHECK_IS(pthread_rwlock_init(&read_over_fork.lock, NULL), 0);
    CHECK_IS(pthread_rwlock_wrlock(&read_over_fork.lock), 0);
    release(&read_over_fork.lock);
    return 0;
}

static void *use(void *arg)
{
    uint32_t random = 88172645u + (uint32_t)(intptr_t)arg;

    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        struct guarded *it = next_random(&random) % 2 ? &read_over_fork : &written_over_fork;

        for (int i = 0; i < 64; i++) {
            read_by_any(&it->lock, &random);
            guarded_look(it);
            release(&it->lock);
        }
        write_by_any(&it->lock, &random);
        guarded_change(it);
        release(&it->lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t users[USERS];

    locks_deadline();
    lock_warm(&read_over_fork.lock);
    lock_warm(&written_over_fork.lock);
    CHECK_IS(pthread_atfork(prepare, in_parent, in_child), 0);
    for (int i = 0; i < USERS; i++)
        users[i] = check_thread(use, (void *)(intptr_t)i);
    for (long i = 0; i < check_count(400, 40000) && !time_is_up(); i++)
        CHECK_IS(check_in_child(child, NULL), 0);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < USERS; i++)
        check_join(users[i]);
    CHECK_IS(pthread_rwlock_trywrlock(&read_over_fork.lock), 0);
    CHECK_IS(pthread_rwlock_trywrlock(&written_over_fork.lock), 0);
    return 0;
}
