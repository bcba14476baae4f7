// SPDX-License-Identifier: MIT
// claim: the number of threads' records that the library shows never falls, and counts both of two
// threads that get theirs at the same time
// matrix: steps
//
// A reader from outside sums up that many: a sum would go back. A process for each moment, since a
// record that was let go would be taken first.
#include "lib/dump.h"
#include "lib/steps.h"

struct trial {
    long moment, steps;
};

static pthread_rwlock_t lock;
static struct actor other;
static bool asked;
static uint32_t most;

static void visit(long step)
{
    if (step < steps_moment)
        return;
    asked = true;
    CHECK_IS(actor_do(&other, pthread_rwlock_tryrdlock, &lock), 0);
    most = dump_root()->high;
    steps_stop();
}

static void call(void *read)
{
    CHECK_IS((*(lock_function *const *)read)(&lock), 0);
    steps_stop();
}

static void *read_first(void *arg)
{
    static lock_function *const read = pthread_rwlock_tryrdlock;
    struct trial *trial = arg;

    trial->steps = steps_run(call, (void *)(uintptr_t)&read, visit);
    if (!asked)
        CHECK_IS(actor_do(&other, pthread_rwlock_tryrdlock, &lock), 0);
    return NULL;
}

static int run(void *arg)
{
    struct trial *trial = arg;
    uint32_t before = dump_root()->high;
    uint32_t high;

    steps_moment = trial->moment;
    actor_start(&other);
    check_join(check_thread(read_first, trial));
    high = dump_root()->high;
    CHECK(high >= most, "step %ld: %u records became %u", steps_moment, most, high);
    CHECK(high == before || high == before + 2, "step %ld: two threads made %u records %u",
          steps_moment, before, high);
    return CHECK_PASS;
}

static struct trial *trial;

static long try_moment(int which)
{
    (void)which;
    trial->moment = steps_moment;
    CHECK_IS(check_in_child(run, trial), CHECK_PASS);
    return trial->steps;
}

int main(void)
{
    locks_deadline();
    if (!dump_root())
        return CHECK_PASS; // nothing to look at
    trial = check_shared(sizeof(*trial));
    steps_explore(try_moment, 1);
    return CHECK_PASS;
}
