// SPDX-License-Identifier: MIT
// claim: of 10,000 signals that arrive during work full of malloc, stdio and locks, the program's
// handler gets each one, and the work goes on
// run: UNCONTEND_SIGNAL=none
// time: 60
#include "lib/dump.h"
#include <semaphore.h>

enum { WORKERS = 3 };

static _Atomic(long) handled, work;
static _Atomic(int) done;
static sem_t arrived;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static FILE *sink;

static void on_signal(int number)
{
    int saved = errno;

    (void)number;
    handled++;
    sem_post(&arrived);
    errno = saved;
}

static void *worker(void *unused)
{
    while (!done) {
        void *p = malloc((size_t)(work % 4000) + 1);

        pthread_rwlock_rdlock(&lock);
        fprintf(sink, "%p %ld\n", p, (long)work);
        pthread_rwlock_unlock(&lock);
        if (work % 16 == 0) {
            pthread_rwlock_wrlock(&lock);
            fflush(sink);
            pthread_rwlock_unlock(&lock);
        }
        free(p);
        work++;
    }
    return unused;
}

static int loaded(void)
{
    pthread_t threads[WORKERS];
    long signals = check_count(10000, 1000000);

    check_deadline(50);
    sink = fopen("/dev/null", "w");
    CHECK_CALL(sem_init(&arrived, 0, 0));
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < WORKERS; i++)
        threads[i] = check_thread(worker, NULL);
    for (long i = 0; i < signals; i++) {
        CHECK_IS(pthread_kill(threads[i % WORKERS], SIGUSR1), 0);
        while (sem_wait(&arrived) < 0)
            CHECK_IS(errno, EINTR);
    }
    CHECK_IS(handled, signals);
    CHECK(work > 0, "no work was done");
    // Signals come one after the other, so no dump found another one being written.
    CHECK_IS(dump_count_all(), signals);
    // Ten at once, then one a second, and check_deadline has counted those.
    CHECK(dump_count() >= 10 && dump_count() <= 60, "%ld dumps", (long)dump_count());
    done = 1;
    for (int i = 0; i < WORKERS; i++)
        check_join(threads[i]);
    return CHECK_PASS;
}

int main(int argc, char **argv)
{
    return dump_main(argc, argv, loaded);
}
