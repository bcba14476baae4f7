// SPDX-License-Identifier: MIT
// claim: at whatever instruction of an unlock another thread takes the lock, it then has it alone
// matrix: steps
//
// One thread gives the lock back instruction by instruction. Between two of them, each pair once,
// the other tries to take it. If it got it, the rest of the unlock must not let anybody else in.
#include "lib/steps.h"

static const struct encounter {
    const char *name;
    lock_function *take, *theirs;
    int times, warm_reads;
    bool they_write;
} encounters[] = {
    {"read, then written", pthread_rwlock_rdlock, pthread_rwlock_trywrlock, 1, 1500, true},
    {"read twice, then written", pthread_rwlock_rdlock, pthread_rwlock_trywrlock, 2, 1500, true},
    {"written, then written", pthread_rwlock_wrlock, pthread_rwlock_trywrlock, 1, 1500, true},
    {"written, then read", pthread_rwlock_wrlock, pthread_rwlock_tryrdlock, 1, 1500, false},
    // Few reads: the lock may be about to become one with fast readers.
    {"read 1st, then written", pthread_rwlock_rdlock, pthread_rwlock_trywrlock, 1, 0, true},
    {"read 2nd, then written", pthread_rwlock_rdlock, pthread_rwlock_trywrlock, 1, 1, true},
    {"read 3rd, then written", pthread_rwlock_rdlock, pthread_rwlock_trywrlock, 1, 2, true},
    {"written after no read", pthread_rwlock_wrlock, pthread_rwlock_trywrlock, 1, 0, true},
    {"written after 1 read", pthread_rwlock_wrlock, pthread_rwlock_trywrlock, 1, 1, true},
    {"written after 2 reads", pthread_rwlock_wrlock, pthread_rwlock_trywrlock, 1, 2, true},
};

static pthread_rwlock_t lock;
static struct actor other;
static const struct encounter *now;
static int their_result;
static bool asked;

static void give_back(void *unused)
{
    (void)unused;
    for (int i = 0; i < now->times; i++)
        CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    steps_stop();
}

static void check_kept_out(long step)
{
    int error = pthread_rwlock_trywrlock(&lock);

    CHECK(error == EBUSY, "%s: at step %ld a second writer gets in (%d)", now->name, step, error);
    error = pthread_rwlock_tryrdlock(&lock);
    CHECK(error == (now->they_write ? EBUSY : 0), "%s: tryrdlock at step %ld gives %d", now->name,
          step, error);
    if (error == 0)
        release(&lock);
}

static void visit(long step)
{
    if (step < steps_moment)
        return;
    if (step == steps_moment) {
        asked = true;
        their_result = actor_do(&other, now->theirs, &lock);
        CHECK(their_result == 0 || their_result == EBUSY, "%s: %d", now->name, their_result);
    }
    if (their_result == 0 && now->they_write)
        check_kept_out(step);
    else
        steps_stop();
}

static long try_moment(int which)
{
    long steps;

    now = &encounters[which];
    read_times(&lock, now->warm_reads);
    for (int i = 0; i < now->times; i++)
        CHECK_IS(now->take(&lock), 0);
    asked = false;
    steps = steps_run(give_back, NULL, visit);
    if (!asked)
        their_result = actor_do(&other, now->theirs, &lock);
    if (their_result == 0) {
        for (int i = 0; i < 3; i++)
            check_kept_out(steps + i);
        CHECK_IS(actor_do(&other, pthread_rwlock_unlock, &lock), 0);
    }
    CHECK(asked || their_result == 0, "%s: the lock was given back, and not free", now->name);
    CHECK_IS(pthread_rwlock_trywrlock(&lock), 0);
    release(&lock);
    return steps;
}

int main(void)
{
    return steps_main(&other, try_moment, LOCKS_COUNT(encounters));
}
