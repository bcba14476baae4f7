// SPDX-License-Identifier: MIT
// claim: while a lock is only read, attempts to write it never make an attempt to read it fail
// matrix: locks
//
// Kinds 0 and 1. One thread reads all the time; others try to write it, in vain, by forms that give
// up; others read it by the try forms and by deadlines that have passed.
#include "lib/locks.h"

enum { READERS = 2, WRITERS = 2 };

static pthread_rwlock_t lock;
static int stop;
static long attempts;

static int timed_read_expired(pthread_rwlock_t *it)
{
    return timed_read(it, -1000);
}

static int clock_read_expired(pthread_rwlock_t *it)
{
    return clock_read(it, CLOCK_MONOTONIC, -1000);
}

static const struct form at_once[] = {
    {"tryrdlock", pthread_rwlock_tryrdlock},
    {"timedrdlock expired", timed_read_expired},
    {"clockrdlock expired", clock_read_expired},
};

static void *write_in_vain(void *arg)
{
    uint32_t random = 88172645u + (uint32_t)(intptr_t)arg;

    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        const struct form *form =
            &write_forms[BLOCKING_FORMS + next_random(&random) % (FORMS - BLOCKING_FORMS)];
        int error = form->take(&lock);

        CHECK(error == EBUSY || error == ETIMEDOUT, "%s on a lock that is read: %d", form->name,
              error);
        __atomic_fetch_add(&attempts, 1, __ATOMIC_RELAXED);
        think((int)(next_random(&random) % 500));
    }
    return NULL;
}

static void *read_by_trying(void *arg)
{
    uint32_t random = 521288629u + (uint32_t)(intptr_t)arg;

    for (long i = 0; i < check_count(150000, 10000000) && !time_is_up(); i++) {
        const struct form *form = &at_once[next_random(&random) % LOCKS_COUNT(at_once)];
        int error = form->take(&lock);

        CHECK(error == 0, "%s among readers: %s", form->name, strerror(error));
        release(&lock);
        think((int)(next_random(&random) % 100));
    }
    return NULL;
}

static void try_kind(int kind)
{
    pthread_t readers[READERS], writers[WRITERS];

    lock_init(&lock, kind, PTHREAD_PROCESS_PRIVATE);
    lock_warm(&lock);
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    stop = 0;
    for (int i = 0; i < WRITERS; i++)
        writers[i] = check_thread(write_in_vain, (void *)(intptr_t)i);
    for (int i = 0; i < READERS; i++)
        readers[i] = check_thread(read_by_trying, (void *)(intptr_t)i);
    for (int i = 0; i < READERS; i++)
        check_join(readers[i]);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < WRITERS; i++)
        check_join(writers[i]);
    release(&lock);
    CHECK_IS(pthread_rwlock_trywrlock(&lock), 0);
}

int main(void)
{
    locks_deadline();
    try_kind(PTHREAD_RWLOCK_PREFER_READER_NP);
    try_kind(PTHREAD_RWLOCK_PREFER_WRITER_NP);
    CHECK(attempts > 0, "nobody tried to write");
    return 0;
}
