// SPDX-License-Identifier: MIT
// claim: at whatever instruction of a section another thread asks for the lock, both get it in turn
// matrix: steps
//
// One thread goes through a whole section instruction by instruction. Between two of them, each
// pair once, the other starts to wait for the lock. A wake-up that is lost ends in the deadline.
#include "lib/steps.h"

#include <limits.h>

static const struct timespec never = {LONG_MAX, 0};
static struct guarded it;
static struct actor other;
static bool asked;

static void read_section(void *unused)
{
    (void)unused;
    CHECK_IS(pthread_rwlock_rdlock(&it.lock), 0);
    guarded_look(&it);
    CHECK_IS(pthread_rwlock_unlock(&it.lock), 0);
    steps_stop();
}

static void nested_section(void *unused)
{
    (void)unused;
    CHECK_IS(pthread_rwlock_clockrdlock(&it.lock, CLOCK_MONOTONIC, &never), 0);
    CHECK_IS(pthread_rwlock_rdlock(&it.lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&it.lock), 0);
    guarded_look(&it);
    CHECK_IS(pthread_rwlock_unlock(&it.lock), 0);
    steps_stop();
}

static void write_section(void *unused)
{
    (void)unused;
    CHECK_IS(pthread_rwlock_wrlock(&it.lock), 0);
    it.first++;
    it.second++;
    CHECK_IS(pthread_rwlock_unlock(&it.lock), 0);
    steps_stop();
}

static int other_writes(pthread_rwlock_t *lock)
{
    CHECK_IS(pthread_rwlock_wrlock(lock), 0);
    guarded_change(&it);
    return pthread_rwlock_unlock(lock);
}

static int other_writes_timed(pthread_rwlock_t *lock)
{
    CHECK_IS(monotonic_write_long(lock), 0);
    guarded_change(&it);
    return pthread_rwlock_unlock(lock);
}

static int other_reads(pthread_rwlock_t *lock)
{
    CHECK_IS(pthread_rwlock_rdlock(lock), 0);
    guarded_look(&it);
    return pthread_rwlock_unlock(lock);
}

static const struct encounter {
    void (*section)(void *);
    lock_function *others_job;
    int warm_reads;
} encounters[] = {
    {read_section, other_writes, 1500},  {nested_section, other_writes_timed, 1500},
    {write_section, other_writes, 1500}, {write_section, other_reads, 1500},
    {read_section, other_writes, 0},
};

static const struct encounter *now;

static void visit(long step)
{
    if (step < steps_moment)
        return;
    asked = true;
    actor_ask(&other, now->others_job, &it.lock);
    actor_done_or_waits(&other);
    steps_stop();
}

static long try_moment(int which)
{
    long steps;

    now = &encounters[which];
    asked = false;
    read_times(&it.lock, now->warm_reads);
    steps = steps_run(now->section, NULL, visit);
    if (asked)
        CHECK_IS(actor_answer(&other), 0);
    CHECK_IS(it.first, it.second);
    CHECK_IS(pthread_rwlock_trywrlock(&it.lock), 0);
    release(&it.lock);
    return steps;
}

int main(void)
{
    return steps_main(&other, try_moment, LOCKS_COUNT(encounters));
}
