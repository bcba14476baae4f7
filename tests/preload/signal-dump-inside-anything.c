// SPDX-License-Identifier: MIT
// claim: a dump that comes in the middle of malloc, stdio, locks or another thread's waiting ends, and
// so does what it interrupted, hundreds of times; hot locks included
// run: UNCONTEND_SIGNAL=none
// time: 60
#include <stdbool.h>

#include "lib/dump.h"

enum { WORKERS = 3 };

static _Atomic(int) done;
static _Atomic(long) work;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static FILE *sink;

// Sizes that malloc has to lock its arena for, since nothing of them is kept by the thread.
static void *worker(void *unused)
{
    for (unsigned i = 0; !done; i++) {
        void *p = malloc(2000 + i % 64 * 1000);

        fprintf(sink, "%p", p);
        pthread_rwlock_wrlock(&lock);
        fflush(sink);
        pthread_rwlock_unlock(&lock);
        free(p);
        work++;
    }
    return unused;
}

static int loaded(void)
{
    pthread_t threads[WORKERS];
    long signals = check_count(300, 100000);

    check_deadline(50);
    sink = fopen("/dev/null", "w");
    for (int i = 0; i < WORKERS; i++)
        threads[i] = check_thread(worker, NULL);
    for (long i = 0; i < signals; i++) {
        uint64_t before = dump_count_all();

        // One at a time, each in another thread. The one before may not quite have ended: its
        // count comes first. Then this signal is spared a dump, and counted as well.
        CHECK_IS(pthread_kill(threads[i % WORKERS], SIGUSR1), 0);
        while (dump_count_all() == before)
            sched_yield();
    }
    CHECK_IS(dump_count_all(), signals);
    CHECK(dump_count() > (uint64_t)signals / 2, "%llu dumps", (unsigned long long)dump_count());
    CHECK(work > 0, "no work was done");
    done = 1;
    for (int i = 0; i < WORKERS; i++)
        check_join(threads[i]);
    return CHECK_PASS;
}

int main(int argc, char **argv)
{
    return dump_main(argc, argv, loaded);
}
