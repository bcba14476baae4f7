// SPDX-License-Identifier: MIT
// claim: a plug-in loaded with RTLD_DEEPBIND at any instruction of a reader's call cannot write too
// matrix: steps
//
// A process for each moment, since only the first such plug-in changes anything.
#include "lib/plugin.h"
#include "lib/steps.h"

struct trial {
    long moment, steps;
    bool unlocks; // the reader gives the lock back, instead of taking it
};

static pthread_rwlock_t lock;
static struct actor other;
static struct way plugin;
static int my_result, their_result = -1;

static int load_and_write(pthread_rwlock_t *it)
{
    plugin = plugin_deepbind();
    return plugin.try_write(it);
}

static void take(void *unused)
{
    (void)unused;
    my_result = pthread_rwlock_tryrdlock(&lock);
    steps_stop();
}

static void give_back(void *unused)
{
    (void)unused;
    my_result = pthread_rwlock_unlock(&lock);
    steps_stop();
}

static void visit(long step)
{
    if (step < steps_moment)
        return;
    their_result = actor_do(&other, load_and_write, &lock);
    steps_stop();
}

static int run(void *arg)
{
    struct trial *trial = arg;

    actor_start(&other);
    steps_moment = trial->moment;
    read_times(&lock, 1500);
    // The first call through the program's table would also step through the dynamic linker.
    CHECK_IS(pthread_rwlock_tryrdlock(&lock), 0);
    release(&lock);
    if (trial->unlocks)
        CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    trial->steps = steps_run(trial->unlocks ? give_back : take, NULL, visit);
    if (their_result == -1)
        their_result = actor_do(&other, load_and_write, &lock);
    if (trial->unlocks) {
        CHECK_IS(my_result, 0);
    } else {
        CHECK((my_result == 0) != (their_result == 0), "step %ld: reader %d, plug-in %d",
              trial->moment, my_result, their_result);
        if (my_result == 0)
            release(&lock);
    }
    if (their_result == 0) {
        CHECK_IS(pthread_rwlock_tryrdlock(&lock), EBUSY);
        CHECK_IS(actor_do(&other, plugin.unlock, &lock), 0);
    }
    CHECK_IS(plugin.try_write(&lock), 0);
    CHECK_IS(pthread_rwlock_tryrdlock(&lock), EBUSY);
    CHECK_IS(plugin.unlock(&lock), 0);
    return 0;
}

int main(void)
{
    struct trial *trial = check_shared(sizeof(*trial));

    locks_deadline();
    for (int way = 0; way < 2; way++) {
        trial->unlocks = way == 1;
        trial->moment = LONG_MAX;
        CHECK_IS(check_in_child(run, trial), 0);
        for (long length = trial->steps, i = 0; i < length && !time_is_up(); i++) {
            // All over the call, also when time ends it early.
            trial->moment = 1 + i * STEPS_STRIDE % length;
            CHECK_IS(check_in_child(run, trial), 0);
        }
    }
    return 0;
}
