// SPDX-License-Identifier: MIT
// claim: a thread ends with a read lock held, which another gives back at any instruction of that
// end: the next thread gets its record
// matrix: steps
//
// Else a program whose threads come and go would need ever more of them.
#include "lib/dump.h"
#include "lib/steps.h"

static pthread_rwlock_t lock;
static pthread_key_t key;
static struct actor other;
static bool asked;
static long steps;

static void visit(long step)
{
    steps = step;
    if (step < steps_moment)
        return;
    asked = true;
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, &lock), 0);
    steps_stop();
}

// Made after the library's, so that it comes when that has let go of the thread.
static void last(void *unused)
{
    (void)unused;
    steps_stop();
}

static void *hold_and_end(void *unused)
{
    static char set;

    CHECK_IS(pthread_setspecific(key, &set), 0);
    CHECK_IS(warm_and_hold(&lock), 0);
    steps_start(visit);
    return unused;
}

static void *read_once(void *unused)
{
    read_times(&lock, 1);
    return unused;
}

static long try_moment(int which)
{
    uint32_t before = dump_root()->high;

    (void)which;
    asked = false;
    check_join(check_thread(hold_and_end, NULL));
    if (!asked)
        CHECK_IS(actor_do(&other, pthread_rwlock_unlock, &lock), 0);
    CHECK_IS(pthread_rwlock_trywrlock(&lock), 0);
    release(&lock);
    check_join(check_thread(read_once, NULL));
    CHECK(dump_root()->high == before, "step %ld: %u records became %u", steps_moment, before,
          dump_root()->high);
    return steps;
}

int main(void)
{
    if (!dump_root())
        return CHECK_PASS; // nothing to look at
    CHECK_IS(pthread_key_create(&key, last), 0);
    read_times(&lock, 1);
    // The record that all others get in turn.
    check_join(check_thread(read_once, NULL));
    return steps_main(&other, try_moment, 1);
}
