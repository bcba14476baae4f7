// SPDX-License-Identifier: MIT
// claim: a fork in a handler at any instruction of a locking call leaves both sides sound locks
// matrix: steps
// waits
//
// The child returns into the interrupted call, goes through the rest of the section and then uses
// the locks. Another thread exists that has used them, but holds none. What was taken for writing
// a child with a thread id of its own cannot give back, so it makes that lock new.
#include "lib/steps.h"

#include "lib/forks.h"

static struct guarded it;
static pthread_rwlock_t second;
static struct actor other;
static const struct fork_way *way;
static pid_t child;
static bool forked, in_child, writing;

static void section(bool writes)
{
    CHECK_IS((writes ? pthread_rwlock_wrlock : pthread_rwlock_rdlock)(&it.lock), 0);
    if (writes) {
        it.first++;
        it.second++;
    } else {
        guarded_look(&it);
        CHECK_IS(pthread_rwlock_rdlock(&second), 0);
    }
    if (!writes)
        CHECK_IS(pthread_rwlock_unlock(&second), 0);
    CHECK_IS(pthread_rwlock_unlock(&it.lock), 0);
}

static void read_section(void *unused)
{
    (void)unused;
    section(false);
    steps_stop();
}

static void write_section(void *unused)
{
    (void)unused;
    section(true);
    steps_stop();
}

static void check_sound(pthread_rwlock_t *lock)
{
    CHECK_IS(pthread_rwlock_trywrlock(lock), 0);
    CHECK_IS(pthread_rwlock_tryrdlock(lock), EBUSY);
    release(lock);
    read_times(lock, 10);
    CHECK_IS(pthread_rwlock_wrlock(lock), 0);
    release(lock);
    CHECK_IS(pthread_rwlock_rdlock(lock), 0);
    CHECK_IS(timed_write_short(lock), ETIMEDOUT);
    release(lock);
}

static void visit(long step)
{
    if (step < steps_moment)
        return;
    forked = true;
    child = CHECK_CALL(way->fork());
    in_child = child == 0;
    steps_stop();
    if (!in_child)
        return;
    check_deadline(10);
    if (writing && !way->keeps_tid) {
        CHECK_IS(pthread_rwlock_init(&it.lock, NULL), 0);
        check_sound(&it.lock);
        check_sound(&second);
        _exit(0);
    }
}

static const struct encounter {
    void (*section)(void *);
    int warm_reads;
} encounters[] = {{read_section, 1500}, {write_section, 1500}, {read_section, 0}};

static long try_moment(int which)
{
    const struct encounter *now = &encounters[which % LOCKS_COUNT(encounters)];
    long steps;
    int status;

    way = &fork_ways[which / LOCKS_COUNT(encounters)];
    writing = now->section == write_section;
    forked = false;
    read_times(&it.lock, now->warm_reads);
    read_times(&second, now->warm_reads);
    steps = steps_run(now->section, NULL, visit);
    check_sound(&it.lock);
    check_sound(&second);
    if (in_child)
        _exit(0);
    status = forked ? check_collect(child) : 0;
    CHECK(status == 0, "%s at step %ld: the child ended with %d", way->name, steps_moment, status);
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, &it.lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, &it.lock), 0);
    return steps;
}

int main(void)
{
    lock_warm(&it.lock);
    return steps_main(&other, try_moment, FORK_WAYS * LOCKS_COUNT(encounters));
}
