// SPDX-License-Identifier: MIT
// claim: a reader's lock given back by another thread at any instruction of its own is counted once
// matrix: steps
//
// Undefined by POSIX; glibc counts, so it works. One thread holds several read locks and takes or
// gives back one more, instruction by instruction; the other gives back some of them in between.
#include "lib/steps.h"

static const struct encounter {
    const char *name;
    lock_function *call;
    int held, given_back, warm_reads; // by the first thread before; by the other; reads before
} encounters[] = {
    {"nested rdlock", pthread_rwlock_rdlock, 1, 1, 1500},
    {"nested tryrdlock", pthread_rwlock_tryrdlock, 3, 2, 1500},
    {"rdlock, first read", pthread_rwlock_rdlock, 2, 1, 0},
    {"unlock of the last but one", pthread_rwlock_unlock, 2, 1, 1500},
    {"unlock", pthread_rwlock_unlock, 4, 2, 1500},
    {"unlock, first read", pthread_rwlock_unlock, 3, 1, 0},
};

static pthread_rwlock_t lock;
static struct actor other;
static const struct encounter *now;
static bool asked;

static int give_back_some(pthread_rwlock_t *it)
{
    for (int i = 0; i < now->given_back; i++)
        CHECK_IS(pthread_rwlock_unlock(it), 0);
    return 0;
}

static void call(void *unused)
{
    (void)unused;
    CHECK_IS(now->call(&lock), 0);
    steps_stop();
}

static void visit(long step)
{
    if (step < steps_moment)
        return;
    asked = true;
    CHECK_IS(actor_do(&other, give_back_some, &lock), 0);
    steps_stop();
}

static long try_moment(int which)
{
    long steps;
    int left;

    now = &encounters[which];
    read_times(&lock, now->warm_reads);
    for (int i = 0; i < now->held; i++)
        CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    asked = false;
    steps = steps_run(call, NULL, visit);
    left = now->held + (now->call == pthread_rwlock_unlock ? -1 : 1);
    left -= asked ? now->given_back : 0;
    for (; left > 0; left--) {
        int error = actor_do(&other, pthread_rwlock_trywrlock, &lock);

        CHECK(error == EBUSY, "%s, step %ld: held %d times, and trywrlock gives %d", now->name,
              steps_moment, left, error);
        release(&lock);
    }
    CHECK(actor_do(&other, pthread_rwlock_trywrlock, &lock) == 0, "%s, step %ld: not free at last",
          now->name, steps_moment);
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, &lock), 0);
    return steps;
}

int main(void)
{
    return steps_main(&other, try_moment, LOCKS_COUNT(encounters));
}
