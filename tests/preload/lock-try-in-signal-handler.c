// SPDX-License-Identifier: MIT
// claim: the try forms work in a handler that interrupts the thread's own locking of the same lock
// matrix: locks
//
// A timer signal comes at any instruction. The handler sees from the main loop's own notes whether
// the thread surely holds the lock; then it must not be able to write, and it can read.
#include "lib/locks.h"

enum { LOCKS = 3 };

static struct guarded locks[LOCKS];
static volatile sig_atomic_t sure[LOCKS], handled, read_in_handler;
static volatile long handler_writes[LOCKS];
static int stop;

static void try_both(int which)
{
    struct guarded *it = &locks[which];
    int error = pthread_rwlock_tryrdlock(&it->lock);

    CHECK(error == 0 || error == EBUSY, "tryrdlock: %d", error);
    if (error == 0) {
        guarded_look(it);
        release(&it->lock);
        read_in_handler++;
    }
    error = pthread_rwlock_trywrlock(&it->lock);
    CHECK(error == 0 || error == EBUSY, "trywrlock: %d", error);
    if (error != 0)
        return;
    CHECK(!sure[which], "written inside the thread's own read section");
    guarded_change(it);
    handler_writes[which]++;
    release(&it->lock);
}

static void handler(int number)
{
    int saved = errno;

    (void)number;
    for (int i = 0; i < LOCKS; i++)
        try_both(i);
    handled++;
    errno = saved;
}

static void read_section(int which)
{
    struct guarded *it = &locks[which];

    CHECK_IS(pthread_rwlock_rdlock(&it->lock), 0);
    sure[which]++;
    guarded_look(it);
    CHECK_IS(pthread_rwlock_rdlock(&it->lock), 0);
    guarded_look(it);
    release(&it->lock);
    guarded_look(it);
    sure[which]--;
    release(&it->lock);
}

static void *write_now_and_then(void *arg)
{
    long *writes = arg;

    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        for (int i = 0; i < LOCKS; i++) {
            CHECK_IS(pthread_rwlock_wrlock(&locks[i].lock), 0);
            guarded_change(&locks[i]);
            release(&locks[i].lock);
            writes[i]++;
            read_times(&locks[i].lock, 200);
        }
    }
    return NULL;
}

static pthread_t start_writer(long *writes)
{
    sigset_t alarm_only, before;
    pthread_t thread;

    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGVTALRM);
    CHECK_IS(pthread_sigmask(SIG_BLOCK, &alarm_only, &before), 0);
    thread = check_thread(write_now_and_then, writes);
    CHECK_IS(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
    return thread;
}

// Until that many handlers more have run.
static void read_under_fire(long handlers)
{
    long until = handled + handlers;

    while (handled < until)
        for (int i = 0; i < LOCKS; i++)
            read_section(i);
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGVTALRM};
    struct itimerspec often = {{0, 100000}, {0, 100000}};
    long writes[LOCKS] = {0};
    pthread_t writer;
    timer_t timer;

    locks_deadline();
    for (int i = 0; i < LOCKS; i++)
        lock_warm(&locks[i].lock);
    CHECK_CALL(sigaction(SIGVTALRM, &action, NULL));
    CHECK_CALL(timer_create(CLOCK_MONOTONIC, &event, &timer));
    CHECK_CALL(timer_settime(timer, 0, &often, NULL));
    read_under_fire(check_count(4000, 400000));
    CHECK(read_in_handler > 0, "no handler could read");
    writer = start_writer(writes);
    read_under_fire(check_count(2000, 200000));
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    check_join(writer);
    CHECK_CALL(timer_delete(timer));
    for (int i = 0; i < LOCKS; i++) {
        CHECK_IS(locks[i].first, handler_writes[i] + writes[i]);
        CHECK_IS(locks[i].second, handler_writes[i] + writes[i]);
        CHECK_IS(pthread_rwlock_trywrlock(&locks[i].lock), 0);
    }
    return 0;
}
