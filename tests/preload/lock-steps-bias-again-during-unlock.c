// SPDX-License-Identifier: MIT
// claim: at any instruction of an unlock another hold is given back by a stranger, and the lock has
// fast readers again: nobody holds it then
// run: UNCONTEND_LOCKS=on UNCONTEND_TEST_EAGER_BIAS=on
// run: UNCONTEND_LOCKS=on UNCONTEND_TEST_EAGER_BIAS=on with=no-membarrier
//
// A stranger's unlock may have changed what the owner's is about to change. That the lock looks as
// it did when the owner began does not mean that nothing has.
#include "lib/holder.h"
#include "lib/steps.h"

static pthread_rwlock_t lock;
static struct actor stranger;

static int give_back_and_read(pthread_rwlock_t *it)
{
    int error = pthread_rwlock_unlock(it);

    read_times(it, 1500);
    return error;
}

static void by_the_stranger(void)
{
    CHECK_IS(actor_do(&stranger, give_back_and_read, &lock), 0);
}

static long try_moment(int which)
{
    long steps;
    int error;

    (void)which;
    holder_begin(&lock);
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    steps = steps_unlock_beside(&lock, by_the_stranger);
    holder_end();
    error = pthread_rwlock_trywrlock(&lock);
    CHECK(error == 0, "step %ld: nobody holds the lock, trywrlock gives %d", steps_moment, error);
    release(&lock);
    return steps;
}

int main(void)
{
    return steps_main(&stranger, try_moment, 1);
}
