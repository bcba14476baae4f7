// SPDX-License-Identifier: MIT
// claim: a SCHED_FIFO thread that waits for a lock lets an ordinary holder on its CPU finish
// matrix: locks
//
// The holder gets to run only when the waiter sleeps. The kernel counts how long a real-time thread
// runs without sleeping and signals when that is more than it was granted.
#include "lib/locks.h"

#include <sys/resource.h>

enum { GRANTED_US = 300000, ROUNDS = 20 };

static pthread_rwlock_t lock;
static int asked;

static void spent_too_long(int number)
{
    (void)number;
    FAIL("the waiter ran for %d us and would not sleep", GRANTED_US);
}

static int hold_until_asked(pthread_rwlock_t *held, lock_function *take, sem_t *holding)
{
    CHECK_IS(take(held), 0);
    sem_post(holding);
    while (!__atomic_load_n(&asked, __ATOMIC_SEQ_CST))
        sched_yield();
    return pthread_rwlock_unlock(held);
}

struct holder {
    lock_function *take;
    sem_t holding;
};

static void *hold(void *arg)
{
    struct holder *holder = arg;

    CHECK_IS(hold_until_asked(&lock, holder->take, &holder->holding), 0);
    return NULL;
}

// Threads that this one starts are ordinary ones, on the same CPU.
static pthread_t start_ordinary(struct holder *holder)
{
    pthread_attr_t attributes;
    const struct sched_param none = {0};
    pthread_t thread;

    CHECK_IS(pthread_attr_init(&attributes), 0);
    CHECK_IS(pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED), 0);
    CHECK_IS(pthread_attr_setschedpolicy(&attributes, SCHED_OTHER), 0);
    CHECK_IS(pthread_attr_setschedparam(&attributes, &none), 0);
    CHECK_IS(pthread_create(&thread, &attributes, hold, holder), 0);
    return thread;
}

static void wait_for(lock_function *take, const struct form *form)
{
    struct holder holder = {.take = take};
    pthread_t thread;

    CHECK_IS(sem_init(&holder.holding, 0, 0), 0);
    __atomic_store_n(&asked, 0, __ATOMIC_SEQ_CST);
    thread = start_ordinary(&holder);
    while (sem_wait(&holder.holding) != 0) {
    }
    __atomic_store_n(&asked, 1, __ATOMIC_SEQ_CST);
    CHECK_IS(form->take(&lock), 0);
    release(&lock);
    check_join(thread);
}

static void stay_on_one_cpu(void)
{
    cpu_set_t all;
    cpu_set_t one;

    CHECK_CALL(sched_getaffinity(0, sizeof(all), &all));
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &all)) {
            CPU_SET(cpu, &one);
            break;
        }
    }
    CHECK_CALL(sched_setaffinity(0, sizeof(one), &one));
}

static void become_realtime(void)
{
    const struct sched_param least = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
    const struct rlimit granted = {GRANTED_US, GRANTED_US * 4};
    struct sigaction action = {.sa_handler = spent_too_long};
    int error;

    CHECK_CALL(sigaction(SIGXCPU, &action, NULL));
    CHECK_CALL(setrlimit(RLIMIT_RTTIME, &granted));
    // Not sched_setscheduler, which musl has as an error alone.
    error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &least);
    if (error != 0)
        SKIP("no right to SCHED_FIFO: %s", strerror(error));
}

int main(void)
{
    locks_deadline();
    // After the library has counted the CPUs: with one it would not spin.
    stay_on_one_cpu();
    for (int round = 0; round < ROUNDS; round++) {
        lock_warm(&lock);
        if (round == 0)
            become_realtime();
        for (int i = 0; i < BLOCKING_FORMS; i++) {
            wait_for(pthread_rwlock_wrlock, &read_forms[i]);
            wait_for(pthread_rwlock_wrlock, &write_forms[i]);
            wait_for(pthread_rwlock_rdlock, &write_forms[i]);
        }
    }
    return 0;
}
