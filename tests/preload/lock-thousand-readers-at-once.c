// SPDX-License-Identifier: MIT
// claim: a thousand threads read-hold one lock together and a writer waits for the last of them
// matrix: locks
#include "lib/locks.h"

enum { THREADS = 1000 };

static pthread_rwlock_t lock;
static sem_t holding, go_on, unlocked;

static void *hold(void *arg)
{
    (void)arg;
    // The first read of a thread may be unlike the later ones.
    read_times(&lock, 3);
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    sem_post(&holding);
    while (sem_wait(&go_on) != 0) {
    }
    release(&lock);
    sem_post(&unlocked);
    return NULL;
}

int main(void)
{
    static pthread_t threads[THREADS];
    static struct actor writer;
    pthread_attr_t small;

    locks_deadline();
    sem_init(&holding, 0, 0);
    sem_init(&go_on, 0, 0);
    sem_init(&unlocked, 0, 0);
    lock_warm(&lock);
    actor_start(&writer);
    CHECK_IS(pthread_attr_init(&small), 0);
    CHECK_IS(pthread_attr_setstacksize(&small, 64 << 10), 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK_IS(pthread_create(&threads[i], &small, hold, NULL), 0);
        CHECK_IS(sem_wait(&holding), 0);
    }
    CHECK_IS(pthread_rwlock_trywrlock(&lock), EBUSY);
    actor_ask(&writer, pthread_rwlock_wrlock, &lock);
    CHECK_BLOCKS(&writer, "wrlock behind a thousand readers");
    for (int i = 0; i < THREADS; i++) {
        CHECK_IS(pthread_rwlock_trywrlock(&lock), EBUSY);
        CHECK(!__atomic_load_n(&writer.done, __ATOMIC_SEQ_CST), "%d readers were left",
              THREADS - i);
        sem_post(&go_on);
        CHECK_IS(sem_wait(&unlocked), 0);
    }
    CHECK_IS(actor_answer(&writer), 0);
    CHECK_IS(pthread_rwlock_tryrdlock(&lock), EBUSY);
    for (int i = 0; i < THREADS; i++)
        check_join(threads[i]);
    return 0;
}
