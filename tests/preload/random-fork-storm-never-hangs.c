// SPDX-License-Identifier: MIT
// The classic hang: an atfork handler, or the child itself, waits for a lock that a thread held
// which does not exist in the child.
// claim: while four threads draw and lock, every child of a fork storm draws, locks and ends
// matrix: random
#include "lib/brood.h"

static struct pool *pool;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static _Atomic int stop;

static void lock_both_ways(pthread_rwlock_t *which)
{
    CHECK_IS(pthread_rwlock_rdlock(which), 0);
    CHECK_IS(pthread_rwlock_unlock(which), 0);
    CHECK_IS(pthread_rwlock_wrlock(which), 0);
    CHECK_IS(pthread_rwlock_unlock(which), 0);
}

static void *busy(void *arg)
{
    uint8_t drawn[600];

    for (unsigned i = (unsigned)(uintptr_t)arg; !atomic_load(&stop); i++) {
        draw((enum draw_function)(i % DRAW_FUNCTIONS), drawn, 1 + i % sizeof(drawn));
        if (i % 64 == 0)
            lock_both_ways(&lock);
    }
    return NULL;
}

// The shared lock may be held by a thread that is gone: only one of the child's own is sure to
// work.
static int child(void *arg)
{
    pthread_rwlock_t own = PTHREAD_RWLOCK_INITIALIZER;

    lock_both_ways(&own);
    brood_draw(pool, POOL_PARTY('c', (uintptr_t)arg));
    return CHECK_PASS;
}

int main(void)
{
    pthread_t threads[4];
    uintptr_t forks = (uintptr_t)draw_count(250, 10000);

    check_deadline(25);
    pool = pool_new(1 << 19);
    for (uintptr_t i = 0; i < 4; i++)
        threads[i] = check_thread(busy, (void *)(i * 1000));
    for (uintptr_t i = 0; i < forks; i++) {
        CHECK_IS(check_in_child(child, (void *)i), CHECK_PASS);
        brood_draw(pool, POOL_PARTY('m', i));
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < 4; i++)
        check_join(threads[i]);
    pool_unique(pool);
    return CHECK_PASS;
}
