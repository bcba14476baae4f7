// SPDX-License-Identifier: MIT
// claim: at any instruction of a stranger's unlock an owner gives its hold back and takes another
// lock, and gives that back some instructions later: nobody holds either then
// run: UNCONTEND_LOCKS=on UNCONTEND_TEST_EAGER_BIAS=on
// run: UNCONTEND_LOCKS=on UNCONTEND_TEST_EAGER_BIAS=on with=no-membarrier
//
// The stranger's unlock may be about to change what the owner's first hold left behind, which must
// not be taken for a part of the second.
#include "lib/holder.h"
#include "lib/steps.h"

enum { CANDIDATES = 64, DISTANCES = 4, INSTRUCTIONS = 8 };

static pthread_rwlock_t lock, candidates[CANDIDATES], *second;
static struct actor owner;
static long distance;
static int asked;

static int go_on(pthread_rwlock_t *it)
{
    int error = pthread_rwlock_unlock(it);

    CHECK_IS(pthread_rwlock_rdlock(second), 0);
    return error;
}

// Where nothing is stored in a lock that is read, the reader is kept elsewhere. One that the owner
// cannot keep beside the first is kept in the same place.
static int find_second(pthread_rwlock_t *it)
{
    CHECK_IS(warm_and_hold(it), 0);
    second = &candidates[0];
    for (int i = CANDIDATES - 1; i > 0; i--) {
        const char *bytes = (const char *)&candidates[i];
        char before[sizeof(candidates[i])];

        read_times(&candidates[i], WARM_READS);
        memcpy(before, bytes, sizeof(before));
        CHECK_IS(pthread_rwlock_rdlock(&candidates[i]), 0);
        if (memcmp(before, bytes, sizeof(before)) != 0)
            second = &candidates[i];
        release(&candidates[i]);
    }
    return pthread_rwlock_unlock(it);
}

static void by_the_owner(void)
{
    if (asked++ == 0)
        CHECK_IS(actor_do(&owner, go_on, &lock), 0);
    else
        CHECK_IS(actor_do(&owner, pthread_rwlock_unlock, second), 0);
}

static void visit(long step)
{
    if (step < steps_moment + asked * distance)
        return;
    by_the_owner();
    if (asked == 2)
        steps_stop();
}

static void give_back(void *unused)
{
    (void)unused;
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    steps_stop();
}

static void check_free(pthread_rwlock_t *it, const char *name)
{
    int error = pthread_rwlock_trywrlock(it);

    CHECK(error == 0, "steps %ld and %ld more: nobody holds the %s lock, trywrlock gives %d",
          steps_moment, distance, name, error);
    release(it);
}

static long try_moment(int which)
{
    long steps;

    asked = 0;
    distance = (which + 1) * INSTRUCTIONS;
    read_times(second, 10);
    CHECK_IS(actor_do(&owner, warm_and_hold, &lock), 0);
    holder_begin(&lock);
    steps = steps_run(give_back, NULL, visit);
    while (asked < 2)
        by_the_owner();
    holder_end();
    check_free(&lock, "first");
    check_free(second, "other");
    return steps;
}

int main(void)
{
    locks_deadline();
    actor_start(&owner);
    CHECK_IS(actor_do(&owner, find_second, &lock), 0);
    steps_explore(try_moment, DISTANCES);
    return CHECK_PASS;
}
