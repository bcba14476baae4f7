// SPDX-License-Identifier: MIT
// claim: 300 threads that were there before a filter that kills for mmap and madvise can then lock
// and draw for the first time
// run: UNCONTEND_TEST_EAGER_BIAS=on UNCONTEND_RANDOM=vdso
// run: UNCONTEND_TEST_EAGER_BIAS=off UNCONTEND_RANDOM=drbg
// run: UNCONTEND_LOCKS=spin UNCONTEND_RANDOM=system
//
// A pool of workers that is started first and confined then. They do not end: libc gives stacks
// back by madvise.
#include "lib/confine.h"
#include "lib/draw.h"
#include "lib/locks.h"

enum { WORKERS = 300, STACK = 64 << 10, LOCKS = 1, DRAWS = 2 };

static pthread_rwlock_t lock;
static pthread_barrier_t meet;
static int work;
static int written; // under the lock

static void *begin_late(void *unused)
{
    uint8_t drawn[DRAW_TASTE];

    pthread_barrier_wait(&meet);
    if (work & LOCKS) {
        read_times(&lock, 3);
        CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
        written++;
        release(&lock);
    }
    if (work & DRAWS)
        draw_taste(drawn);
    pthread_barrier_wait(&meet);
    for (;;)
        pause();
    return unused;
}

static int live(void *arg)
{
    pthread_attr_t small;
    pthread_t thread;

    work = *(const int *)arg;
    CHECK_IS(pthread_barrier_init(&meet, NULL, WORKERS + 1), 0);
    CHECK_IS(pthread_attr_init(&small), 0);
    CHECK_IS(pthread_attr_setstacksize(&small, STACK), 0);
    for (int i = 0; i < WORKERS; i++)
        CHECK_IS(pthread_create(&thread, &small, begin_late, NULL), 0);
    CONFINE(CONFINE_ALL_THREADS, SYS_mmap, SYS_madvise);
    pthread_barrier_wait(&meet);
    pthread_barrier_wait(&meet);
    CHECK_IS(written, work & LOCKS ? WORKERS : 0);
    return CHECK_PASS;
}

int main(void)
{
    static int works[] = {LOCKS, DRAWS, LOCKS | DRAWS};

    locks_deadline();
    for (int i = 0; i < LOCKS_COUNT(works); i++) {
        int status = check_in_child(live, &works[i]);

        CHECK(status == CHECK_PASS, "work %d: the program ended with %d", works[i], status);
    }
    return CHECK_PASS;
}
