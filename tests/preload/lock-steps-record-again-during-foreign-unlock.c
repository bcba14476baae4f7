// SPDX-License-Identifier: MIT
// claim: at any instruction of a stranger's unlock another stranger releases as well, and a new
// thread gets the record that one has left, and the lock: it has the lock
// run: UNCONTEND_LOCKS=on UNCONTEND_TEST_EAGER_BIAS=on
// run: UNCONTEND_LOCKS=on UNCONTEND_TEST_EAGER_BIAS=on with=no-membarrier
//
// Two holds are given back: of a thread that has ended, and of one that lives.
#include "lib/holder.h"
#include "lib/steps.h"

static pthread_rwlock_t lock;
static struct actor stranger;
static pthread_t reader;
static sem_t reads, over;

static void *hold_and_end(void *unused)
{
    CHECK_IS(warm_and_hold(&lock), 0);
    return unused;
}

static void *read_till_told(void *unused)
{
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    CHECK_IS(sem_post(&reads), 0);
    while (sem_wait(&over) != 0) {
    }
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    return unused;
}

static int give_back_and_read(pthread_rwlock_t *it)
{
    int error = pthread_rwlock_unlock(it);

    read_times(it, 200);
    return error;
}

static void by_the_others(void)
{
    CHECK_IS(actor_do(&stranger, give_back_and_read, &lock), 0);
    reader = check_thread(read_till_told, NULL);
    while (sem_wait(&reads) != 0) {
    }
}

static long try_moment(int which)
{
    long steps;
    int error;

    (void)which;
    holder_begin(&lock);
    check_join(check_thread(hold_and_end, NULL));
    steps = steps_unlock_beside(&lock, by_the_others);
    error = pthread_rwlock_trywrlock(&lock);
    CHECK(error == EBUSY, "step %ld: one reads, trywrlock gives %d", steps_moment, error);
    CHECK_IS(sem_post(&over), 0);
    check_join(reader);
    holder_end();
    error = pthread_rwlock_trywrlock(&lock);
    CHECK(error == 0, "step %ld: nobody holds the lock, trywrlock gives %d", steps_moment, error);
    release(&lock);
    return steps;
}

int main(void)
{
    CHECK_IS(sem_init(&reads, 0, 0), 0);
    CHECK_IS(sem_init(&over, 0, 0), 0);
    return steps_main(&stranger, try_moment, 1);
}
