// SPDX-License-Identifier: MIT
// claim: at whatever instruction of a locking call another thread takes the lock, one stays out
// matrix: steps
//
// One thread takes the lock instruction by instruction. Between two of them, each pair once, the
// other takes it and keeps it. From then on not even the first thread's signal handlers get in.
#include "lib/steps.h"

static const struct timespec past = {1, 0};

static int timed_read_past(pthread_rwlock_t *it)
{
    return pthread_rwlock_timedrdlock(it, &past);
}

static int clock_read_past(pthread_rwlock_t *it)
{
    return pthread_rwlock_clockrdlock(it, CLOCK_MONOTONIC, &past);
}

static int timed_write_past(pthread_rwlock_t *it)
{
    return pthread_rwlock_timedwrlock(it, &past);
}

static int clock_write_past(pthread_rwlock_t *it)
{
    return pthread_rwlock_clockwrlock(it, CLOCK_MONOTONIC, &past);
}

static const struct form try_read = {"tryrdlock", pthread_rwlock_tryrdlock};
static const struct form timed_read_now = {"timedrdlock", timed_read_past};
static const struct form clock_read_now = {"clockrdlock", clock_read_past};
static const struct form try_write = {"trywrlock", pthread_rwlock_trywrlock};
static const struct form timed_write_now = {"timedwrlock", timed_write_past};
static const struct form clock_write_now = {"clockwrlock", clock_write_past};

static const struct encounter {
    const struct form *mine, *theirs;
    bool i_write, they_write;
    int warm_reads;
} encounters[] = {
    {&try_read, &try_write, false, true, 1500},
    {&timed_read_now, &clock_write_now, false, true, 1500},
    {&clock_read_now, &timed_write_now, false, true, 1500},
    {&try_write, &try_read, true, false, 1500},
    {&timed_write_now, &try_read, true, false, 1500},
    {&clock_write_now, &clock_read_now, true, false, 1500},
    {&try_write, &try_write, true, true, 1500},
    {&timed_write_now, &clock_write_now, true, true, 1500},
    {&try_read, &try_write, false, true, 0},
    {&try_read, &try_write, false, true, 1},
    {&try_read, &try_write, false, true, 2},
    {&try_write, &try_read, true, false, 0},
};

static pthread_rwlock_t lock;
static struct actor other;
static const struct encounter *now;
static int my_result, their_result;
static bool asked;

static void take(void *unused)
{
    (void)unused;
    my_result = now->mine->take(&lock);
    steps_stop();
}

static void check_kept_out(long step)
{
    CHECK(pthread_rwlock_tryrdlock(&lock) == EBUSY,
          "a handler in %s, step %ld, can read while %s holds the lock since step %ld",
          now->mine->name, step, now->theirs->name, steps_moment);
    CHECK(pthread_rwlock_trywrlock(&lock) == EBUSY,
          "a handler in %s, step %ld, can write while %s holds the lock since step %ld",
          now->mine->name, step, now->theirs->name, steps_moment);
}

static void visit(long step)
{
    if (step < steps_moment)
        return;
    if (step == steps_moment) {
        actor_ask(&other, now->theirs->take, &lock);
        asked = true;
        // It may have to wait for what the first thread has begun; then the end tells who got in.
        if (actor_done_or_waits(&other))
            their_result = actor_answer(&other);
    }
    if (their_result == 0 && now->they_write)
        check_kept_out(step);
    else
        steps_stop();
}

static long try_moment(int which)
{
    bool both;
    long steps;

    now = &encounters[which];
    read_times(&lock, now->warm_reads);
    their_result = -1;
    asked = false;
    steps = steps_run(take, NULL, visit);
    if (asked && their_result == -1)
        their_result = actor_answer(&other);
    both = my_result == 0 && their_result == 0;
    CHECK(!both || (!now->i_write && !now->they_write), "%s and, at its step %ld, %s got the lock",
          now->mine->name, steps_moment, now->theirs->name);
    CHECK(my_result == 0 || their_result == 0, "nobody got a free lock: %s %d, %s %d at step %ld",
          now->mine->name, my_result, now->theirs->name, their_result, steps_moment);
    if (my_result == 0)
        release(&lock);
    if (their_result == 0)
        CHECK_IS(actor_do(&other, pthread_rwlock_unlock, &lock), 0);
    CHECK_IS(pthread_rwlock_trywrlock(&lock), 0);
    release(&lock);
    return steps;
}

int main(void)
{
    return steps_main(&other, try_moment, LOCKS_COUNT(encounters));
}
