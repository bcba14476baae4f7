// SPDX-License-Identifier: MIT
// claim: writers exclude everybody, whichever form each thread takes the lock by, for each kind
// matrix: locks
#include "lib/locks.h"

enum { READERS = 4, WRITERS = 2, THREADS = READERS + WRITERS, BURST = 40 };

static struct guarded it;
static long written;

static void *use(void *arg)
{
    int number = (int)(intptr_t)arg;
    bool writes = number < WRITERS;
    uint32_t random = 2463534242u + (uint32_t)number;
    long rounds = check_count(10000, 300000);

    for (long i = 0; i < rounds && !time_is_up(); i++) {
        for (int reads = 0; reads < BURST; reads++) {
            read_by_any(&it.lock, &random);
            guarded_look(&it);
            release(&it.lock);
        }
        if (!writes)
            continue;
        write_by_any(&it.lock, &random);
        guarded_change(&it);
        __atomic_fetch_add(&written, 1, __ATOMIC_RELAXED);
        release(&it.lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    locks_deadline();
    for (int kind = 0; kind <= PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP; kind++) {
        memset(&it, 0, sizeof(it));
        written = 0;
        lock_init(&it.lock, kind, PTHREAD_PROCESS_PRIVATE);
        lock_warm(&it.lock);
        for (int i = 0; i < THREADS; i++)
            threads[i] = check_thread(use, (void *)(intptr_t)i);
        for (int i = 0; i < THREADS; i++)
            check_join(threads[i]);
        CHECK(it.first == written && it.second == written, "%ld and %ld of %ld writes left",
              it.first, it.second, written);
    }
    return 0;
}
