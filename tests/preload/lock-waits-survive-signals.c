// SPDX-License-Identifier: MIT
// claim: signals neither end a wait for a lock nor move its deadline, with and without SA_RESTART
// matrix: locks
#include "lib/locks.h"

enum { SIGNALS = 60, FLOOD_WAIT = 20000 };

static struct actor holder, waiter;
static int delivered;

static void count(int number)
{
    (void)number;
    __atomic_fetch_add(&delivered, 1, __ATOMIC_SEQ_CST);
}

static void handle(int number, int flags)
{
    struct sigaction action = {.sa_handler = count, .sa_flags = flags};

    CHECK_CALL(sigaction(number, &action, NULL));
}

static void send(int number)
{
    int before = __atomic_load_n(&delivered, __ATOMIC_SEQ_CST);

    CHECK_IS(pthread_kill(waiter.thread, number), 0);
    while (__atomic_load_n(&delivered, __ATOMIC_SEQ_CST) == before)
        sched_yield();
}

static void wait_through_signals(pthread_rwlock_t *lock, lock_function *hold,
                                 const struct form *form)
{
    lock_warm(lock);
    CHECK_IS(actor_do(&holder, hold, lock), 0);
    actor_ask(&waiter, form->take, lock);
    CHECK_BLOCKS(&waiter, form->name);
    for (int i = 0; i < SIGNALS; i++)
        send(i % 2 ? SIGUSR2 : SIGWINCH);
    CHECK_BLOCKS(&waiter, form->name);
    CHECK_IS(actor_do(&holder, pthread_rwlock_unlock, lock), 0);
    CHECK_IS(actor_answer(&waiter), 0);
    CHECK_IS(actor_do(&waiter, pthread_rwlock_unlock, lock), 0);
}

static int wait_in_vain(pthread_rwlock_t *lock)
{
    struct timespec at = time_after(CLOCK_MONOTONIC, FLOOD_WAIT), now;
    int error = pthread_rwlock_clockwrlock(lock, CLOCK_MONOTONIC, &at);

    CHECK_IS(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    CHECK(now.tv_sec > at.tv_sec || (now.tv_sec == at.tv_sec && now.tv_nsec >= at.tv_nsec),
          "gave up before the deadline");
    return error;
}

// A wait that starts again with each signal would never end while they go on coming. Returns how
// many signals there were.
static long time_out_in_a_flood(pthread_rwlock_t *lock)
{
    long sent = 0;

    CHECK_IS(actor_do(&holder, pthread_rwlock_rdlock, lock), 0);
    actor_ask(&waiter, wait_in_vain, lock);
    while (!__atomic_load_n(&waiter.done, __ATOMIC_SEQ_CST)) {
        CHECK_IS(pthread_kill(waiter.thread, SIGUSR2), 0);
        sched_yield();
        sent++;
    }
    CHECK_IS(actor_answer(&waiter), ETIMEDOUT);
    CHECK_IS(actor_do(&holder, pthread_rwlock_unlock, lock), 0);
    CHECK_IS(pthread_rwlock_trywrlock(lock), 0);
    release(lock);
    return sent;
}

int main(void)
{
    static pthread_rwlock_t lock;

    locks_deadline();
    handle(SIGUSR2, 0);
    handle(SIGWINCH, SA_RESTART);
    actor_start(&holder);
    actor_start(&waiter);
    for (int i = 0; i < BLOCKING_FORMS; i++) {
        wait_through_signals(&lock, pthread_rwlock_rdlock, &write_forms[i]);
        wait_through_signals(&lock, pthread_rwlock_wrlock, &read_forms[i]);
        wait_through_signals(&lock, pthread_rwlock_wrlock, &write_forms[i]);
        lock_warm(&lock);
        while (time_out_in_a_flood(&lock) < 10) {
        }
    }
    return 0;
}
