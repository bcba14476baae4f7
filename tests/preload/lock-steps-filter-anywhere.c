// SPDX-License-Identifier: MIT
// claim: a filter that kills for membarrier, set up by another thread at any instruction of a
// writer's call, ends nothing, and the writer gets the lock
// matrix: steps
//
// A process for each moment: a filter stays.
#include "lib/confine.h"
#include "lib/steps.h"

struct trial {
    lock_function *write;
    long moment, steps;
};

static const struct {
    const char *name;
    lock_function *write;
} calls[] = {
    {"wrlock", pthread_rwlock_wrlock},
    {"trywrlock", pthread_rwlock_trywrlock},
    {"timedwrlock", timed_write_long},
};

static pthread_rwlock_t lock;
static struct actor other;
static bool asked;

static int confine_all(pthread_rwlock_t *unused)
{
    (void)unused;
    CONFINE(CONFINE_ALL_THREADS, SYS_membarrier);
    return 0;
}

static int read_often(pthread_rwlock_t *it)
{
    read_times(it, 1500);
    return 0;
}

static void call(void *trial)
{
    CHECK_IS(((const struct trial *)trial)->write(&lock), 0);
    steps_stop();
}

// That thread may have to wait for this one.
static void visit(long step)
{
    if (step < steps_moment)
        return;
    asked = true;
    actor_ask(&other, confine_all, &lock);
    (void)actor_blocks(&other);
    steps_stop();
}

static int run(void *arg)
{
    struct trial *trial = arg;

    actor_start(&other);
    steps_moment = trial->moment;
    CHECK_IS(actor_do(&other, read_often, &lock), 0);
    trial->steps = steps_run(call, trial, visit);
    CHECK_IS(asked ? actor_answer(&other) : actor_do(&other, confine_all, &lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_tryrdlock, &lock), EBUSY);
    release(&lock);
    CHECK_IS(actor_do(&other, read_often, &lock), 0);
    CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_tryrdlock, &lock), EBUSY);
    return CHECK_PASS;
}

static struct trial *trial;

static long try_moment(int which)
{
    int status;

    trial->write = calls[which].write;
    trial->moment = steps_moment;
    status = check_in_child(run, trial);
    CHECK(status == CHECK_PASS, "%s, step %ld: the program ended with %d", calls[which].name,
          steps_moment, status);
    return trial->steps;
}

int main(void)
{
    locks_deadline();
    trial = check_shared(sizeof(*trial));
    // The first call of a function would also step through the dynamic linker.
    for (int i = 0; i < LOCKS_COUNT(calls); i++) {
        CHECK_IS(calls[i].write(&lock), 0);
        release(&lock);
    }
    steps_explore(try_moment, LOCKS_COUNT(calls));
    return CHECK_PASS;
}
