// SPDX-License-Identifier: MIT
// claim: exclusion holds while reading threads come and go
// matrix: locks
//
// A writer works all the time. Readers live for a few sections each, so that what the library
// keeps for a thread is handed to the next one, often with a writer looking at it.
#include "lib/locks.h"

enum { LOCKS = 3, AT_ONCE = 6, SECTIONS = 60 };

static struct guarded locks[LOCKS];
static int stop;

static void *read_and_go(void *arg)
{
    uint32_t random = (uint32_t)(intptr_t)arg * 2654435761u | 1;

    for (int i = 0; i < SECTIONS; i++) {
        struct guarded *outer = &locks[next_random(&random) % LOCKS];
        struct guarded *inner = &locks[next_random(&random) % LOCKS];

        CHECK_IS(pthread_rwlock_rdlock(&outer->lock), 0);
        if (pthread_rwlock_tryrdlock(&inner->lock) == 0) {
            guarded_look(inner);
            release(&inner->lock);
        }
        guarded_look(outer);
        release(&outer->lock);
    }
    return NULL;
}

static void *write_all_the_time(void *arg)
{
    long *writes = arg;
    uint32_t random = 362436069u;

    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        int which = (int)(next_random(&random) % LOCKS);

        write_by_any(&locks[which].lock, &random);
        guarded_change(&locks[which]);
        release(&locks[which].lock);
        writes[which]++;
        // Give a lock the time to be seen as one that is only read.
        for (int i = 0; i < LOCKS; i++)
            read_times(&locks[i].lock, 50);
    }
    return NULL;
}

int main(void)
{
    long writes[LOCKS] = {0};
    pthread_t writer, readers[AT_ONCE];

    locks_deadline();
    for (int i = 0; i < LOCKS; i++)
        lock_warm(&locks[i].lock);
    writer = check_thread(write_all_the_time, writes);
    for (long born = 0; born < check_count(6000, 500000) && !time_is_up(); born += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++)
            readers[i] = check_thread(read_and_go, (void *)(intptr_t)(born + i));
        for (int i = 0; i < AT_ONCE; i++)
            check_join(readers[i]);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    check_join(writer);
    for (int i = 0; i < LOCKS; i++) {
        CHECK_IS(locks[i].first, writes[i]);
        CHECK_IS(locks[i].second, writes[i]);
        CHECK_IS(pthread_rwlock_trywrlock(&locks[i].lock), 0);
    }
    return 0;
}
