// SPDX-License-Identifier: MIT
// claim: no lock function is a cancellation point, and the cleanup of a cancelled thread can unlock
// matrix: locks
#include "lib/locks.h"

static pthread_rwlock_t lock;
static struct actor holder;

struct waiting {
    const struct form *form;
    pid_t tid;
    int got;
    sem_t started;
};

static void unlock_in_cleanup(void *arg)
{
    CHECK_IS(pthread_rwlock_unlock(arg), 0);
}

// Asks for the lock, then comes to a cancellation point with the lock held.
static void *wait_then_test(void *arg)
{
    struct waiting *waiting = arg;

    waiting->tid = (pid_t)syscall(SYS_gettid);
    CHECK_IS(sem_post(&waiting->started), 0);
    CHECK_IS(waiting->form->take(&lock), 0);
    pthread_cleanup_push(unlock_in_cleanup, &lock);
    __atomic_store_n(&waiting->got, 1, __ATOMIC_SEQ_CST);
    pthread_testcancel();
    FAIL("%s lost the request to cancel", waiting->form->name);
    pthread_cleanup_pop(0);
    return NULL;
}

static void wait_until_asleep(const struct waiting *waiting)
{
    for (int asleep = 0; asleep < 8; sched_yield())
        asleep = thread_sleeps(waiting->tid) ? asleep + 1 : 0;
    CHECK(!__atomic_load_n(&waiting->got, __ATOMIC_SEQ_CST), "%s did not wait",
          waiting->form->name);
}

static void cancel_while_waiting(lock_function *hold, const struct form *form)
{
    struct waiting waiting = {.form = form};
    pthread_t thread;

    sem_init(&waiting.started, 0, 0);
    lock_warm(&lock);
    CHECK_IS(actor_do(&holder, hold, &lock), 0);
    thread = check_thread(wait_then_test, &waiting);
    CHECK_IS(sem_wait(&waiting.started), 0);
    wait_until_asleep(&waiting);
    CHECK_IS(pthread_cancel(thread), 0);
    wait_until_asleep(&waiting);
    CHECK_IS(actor_do(&holder, pthread_rwlock_unlock, &lock), 0);
    CHECK(check_join(thread) == PTHREAD_CANCELED, "%s: the thread was not cancelled", form->name);
    CHECK_IS(pthread_rwlock_trywrlock(&lock), 0);
    release(&lock);
}

// Everything there is, with a request to cancel pending from the start.
static void *use_all_while_cancelled(void *arg)
{
    static pthread_rwlock_t own;

    CHECK_IS(pthread_cancel(pthread_self()), 0);
    CHECK_IS(pthread_rwlock_init(&own, NULL), 0);
    read_times(&own, WARM_READS);
    for (int i = 0; i < FORMS; i++) {
        CHECK_IS(read_forms[i].take(&own), 0);
        CHECK_IS(pthread_rwlock_trywrlock(&own), EBUSY);
        CHECK_IS(timed_write_short(&own), ETIMEDOUT);
        CHECK_IS(pthread_rwlock_unlock(&own), 0);
        CHECK_IS(write_forms[i].take(&own), 0);
        CHECK_IS(pthread_rwlock_rdlock(&own), EDEADLK);
        CHECK_IS(pthread_rwlock_unlock(&own), 0);
    }
    CHECK_IS(pthread_rwlock_destroy(&own), 0);
    *(int *)arg = 1;
    pthread_testcancel();
    return NULL;
}

int main(void)
{
    int finished = 0;

    locks_deadline();
    actor_start(&holder);
    CHECK(check_join(check_thread(use_all_while_cancelled, &finished)) == PTHREAD_CANCELED,
          "the request to cancel was lost");
    CHECK(finished,
          "cancelled too early: a lock function is a cancellation point, or a check failed");
    for (int i = 0; i < BLOCKING_FORMS; i++) {
        cancel_while_waiting(pthread_rwlock_rdlock, &write_forms[i]);
        cancel_while_waiting(pthread_rwlock_wrlock, &write_forms[i]);
        cancel_while_waiting(pthread_rwlock_wrlock, &read_forms[i]);
    }
    return 0;
}
