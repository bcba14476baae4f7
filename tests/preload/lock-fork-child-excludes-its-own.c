// SPDX-License-Identifier: MIT
// claim: in a child that starts threads of its own, and in its child, exclusion holds
// matrix: locks
#include "lib/locks.h"

#include "lib/forks.h"

enum { THREADS = 4 };

static struct guarded it;
static long written;

static void *use(void *arg)
{
    uint32_t random = 88172645u + (uint32_t)(intptr_t)arg;

    for (long i = 0; i < check_count(8000, 500000) && !time_is_up(); i++) {
        if (next_random(&random) % 64 == 0) {
            write_by_any(&it.lock, &random);
            guarded_change(&it);
            __atomic_fetch_add(&written, 1, __ATOMIC_RELAXED);
        } else {
            read_by_any(&it.lock, &random);
            guarded_look(&it);
        }
        release(&it.lock);
    }
    return NULL;
}

static void use_in_threads(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        threads[i] = check_thread(use, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        check_join(threads[i]);
    CHECK_IS(it.first, written);
    CHECK_IS(it.second, written);
}

static int generations(void *left)
{
    intptr_t more = (intptr_t)left;

    use_in_threads();
    lock_warm(&it.lock);
    // fork and _Fork only: after a raw one libc has the wrong thread id and must not start threads.
    return more ? fork_and_run(&fork_ways[more % 2], generations, (void *)(more - 1)) : 0;
}

int main(void)
{
    locks_deadline();
    lock_warm(&it.lock);
    for (int i = 0; i < 4; i++)
        CHECK_IS(fork_and_run(&fork_ways[i % 2], generations, (void *)2), 0);
    use_in_threads();
    CHECK_IS(fork_and_run(&fork_ways[0], generations, (void *)3), 0);
    return 0;
}
