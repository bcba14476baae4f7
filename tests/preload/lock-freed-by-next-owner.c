// SPDX-License-Identifier: MIT
// claim: after an unlock no access to the lock follows: the next owner may free it at once
// matrix: locks
//
// One thread unlocks; the other takes the lock for writing, unlocks, destroys it or not, and takes
// the page away. An access after that, also for the sake of another lock, ends in SIGSEGV.
#include "lib/locks.h"

enum { BATCH = 256, READS = 4 };

static size_t page;
static char *pages;
static sem_t ready, held, gone;
static pthread_rwlock_t *current;
static const struct form *taking;
static bool first_writes, destroys;

// The memory is new each time, so that the lock is, too.
static void map_batch(void)
{
    if (pages)
        CHECK_CALL(munmap(pages, BATCH * page));
    pages = mmap(NULL, BATCH * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED, "mmap: %s", strerror(errno));
}

static void *next_owner(void *arg)
{
    (void)arg;
    for (;;) {
        CHECK_IS(sem_wait(&ready), 0);
        if (!current)
            return NULL;
        read_times(current, READS);
        CHECK_IS(sem_post(&held), 0);
        take_by(taking, current);
        release(current);
        if (!destroys)
            read_times(current, READS);
        if (destroys)
            CHECK_IS(pthread_rwlock_destroy(current), 0);
        CHECK_CALL(mprotect(current, page, PROT_NONE));
        CHECK_IS(sem_post(&gone), 0);
    }
}

// The lock is held when the next owner asks for it; it may already sleep, or still spin.
static void hand_over(pthread_rwlock_t *lock, long round)
{
    lock_init(lock, (int)(round / 2 % 2), PTHREAD_PROCESS_PRIVATE);
    read_times(lock, READS);
    first_writes = round % 4 == 0;
    destroys = round / 8 % 2;
    taking = &write_forms[round % FORMS];
    current = lock;
    CHECK_IS((first_writes ? pthread_rwlock_wrlock : pthread_rwlock_rdlock)(lock), 0);
    if (!first_writes && round % 8 == 1) {
        CHECK_IS(pthread_rwlock_rdlock(lock), 0);
        release(lock);
    }
    CHECK_IS(sem_post(&ready), 0);
    if (!first_writes)
        CHECK_IS(sem_wait(&held), 0);
    for (volatile long i = 0; i < round % 700; i++) {
    }
    CHECK_IS(pthread_rwlock_unlock(lock), 0);
    if (first_writes)
        CHECK_IS(sem_wait(&held), 0);
    CHECK_IS(sem_wait(&gone), 0);
}

int main(void)
{
    long rounds = check_count(20000, 1000000);
    pthread_t thread;

    locks_deadline();
    page = (size_t)sysconf(_SC_PAGESIZE);
    sem_init(&ready, 0, 0);
    sem_init(&held, 0, 0);
    sem_init(&gone, 0, 0);
    thread = check_thread(next_owner, NULL);
    for (long i = 0; i < rounds && !time_is_up(); i++) {
        if (i % BATCH == 0)
            map_batch();
        hand_over((pthread_rwlock_t *)(pages + (size_t)(i % BATCH) * page), i);
    }
    current = NULL;
    CHECK_IS(sem_post(&ready), 0);
    check_join(thread);
    return 0;
}
