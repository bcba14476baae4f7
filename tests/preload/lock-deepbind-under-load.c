// SPDX-License-Identifier: MIT
// claim: exclusion holds when a plug-in loaded with RTLD_DEEPBIND writes what all threads read
// matrix: locks
//
// The threads go on reading while it is loaded. One process for each trial, since only the first
// such plug-in changes anything.
#include "lib/plugin.h"

enum { READERS = 2, WRITES = 300 };

static struct guarded it;
static int reading, stop;

static void *read_all_the_time(void *arg)
{
    uint32_t random = 521288629u + (uint32_t)(intptr_t)arg;

    for (long i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
        read_by_any(&it.lock, &random);
        guarded_look(&it);
        if (i % 4 == 0) {
            CHECK_IS(pthread_rwlock_rdlock(&it.lock), 0);
            guarded_look(&it);
            release(&it.lock);
        }
        release(&it.lock);
        think(100);
        if (i == 4000)
            __atomic_fetch_add(&reading, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

static int trial(void *arg)
{
    pthread_t readers[READERS];
    struct way plugin;

    (void)arg;
    for (int i = 0; i < READERS; i++)
        readers[i] = check_thread(read_all_the_time, (void *)(intptr_t)i);
    while (__atomic_load_n(&reading, __ATOMIC_SEQ_CST) < READERS)
        sched_yield();
    plugin = plugin_deepbind();
    for (int i = 0; i < WRITES; i++) {
        if (i % 2 || plugin.try_write(&it.lock) != 0)
            CHECK_IS(plugin.write(&it.lock), 0);
        guarded_change(&it);
        CHECK_IS(plugin.unlock(&it.lock), 0);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < READERS; i++)
        check_join(readers[i]);
    CHECK_IS(it.first, WRITES);
    CHECK_IS(it.second, WRITES);
    CHECK_IS(plugin.try_write(&it.lock), 0);
    return 0;
}

int main(void)
{
    locks_deadline();
    for (long i = 0; i < check_count(20, 1000) && !time_is_up(); i++)
        CHECK_IS(check_in_child(trial, NULL), 0);
    return 0;
}
