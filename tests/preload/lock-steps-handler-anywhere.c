// SPDX-License-Identifier: MIT
// claim: the try forms work in a handler at every single instruction of the thread's own section
// matrix: steps
#include "lib/steps.h"

static struct guarded it;
static struct actor other;
static volatile bool surely_read, surely_written;
static long reads, writes;

static void read_section(void *unused)
{
    (void)unused;
    CHECK_IS(pthread_rwlock_rdlock(&it.lock), 0);
    surely_read = true;
    CHECK_IS(pthread_rwlock_tryrdlock(&it.lock), 0);
    guarded_look(&it);
    CHECK_IS(pthread_rwlock_unlock(&it.lock), 0);
    surely_read = false;
    CHECK_IS(pthread_rwlock_unlock(&it.lock), 0);
    steps_stop();
}

static void write_section(void *unused)
{
    (void)unused;
    CHECK_IS(pthread_rwlock_trywrlock(&it.lock), 0);
    surely_written = true;
    it.first++;
    it.second++;
    surely_written = false;
    CHECK_IS(pthread_rwlock_unlock(&it.lock), 0);
    steps_stop();
}

static void visit_by_reading(long step)
{
    int error = pthread_rwlock_tryrdlock(&it.lock);

    CHECK(error == 0 || error == EBUSY, "step %ld: tryrdlock %d", step, error);
    CHECK(error == EBUSY || !surely_written, "step %ld: read while written", step);
    CHECK(error == 0 || !surely_read, "step %ld: not read although it is only read", step);
    if (error)
        return;
    guarded_look(&it);
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, &it.lock), EBUSY);
    release(&it.lock);
    reads++;
}

static void visit_by_writing(long step)
{
    int error = pthread_rwlock_trywrlock(&it.lock);

    CHECK(error == 0 || error == EBUSY, "step %ld: trywrlock %d", step, error);
    CHECK(error == EBUSY || !(surely_read || surely_written), "step %ld: written while held", step);
    if (error)
        return;
    guarded_change(&it);
    CHECK_IS(actor_do(&other, pthread_rwlock_tryrdlock, &it.lock), EBUSY);
    release(&it.lock);
    writes++;
}

static long single_step;

static void visit_once_by_writing(long step)
{
    if (step < single_step)
        return;
    visit_by_writing(step);
    steps_stop();
}

static void go_through(void (*section)(void *), void (*visit)(long))
{
    read_times(&it.lock, 1500);
    steps_run(section, NULL, visit);
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, &it.lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, &it.lock), 0);
}

int main(void)
{
    locks_deadline();
    actor_start(&other);
    for (int round = 0; round < 3; round++) {
        go_through(read_section, visit_by_reading);
        go_through(read_section, visit_by_writing);
        go_through(write_section, visit_by_reading);
    }
    CHECK(reads > 0, "no handler could read");
    // A handler that comes all the time may find nothing but a lock on its way to be read.
    for (single_step = 1; single_step < 200 && !time_is_up(); single_step++) {
        go_through(read_section, visit_once_by_writing);
        go_through(write_section, visit_once_by_writing);
    }
    CHECK(writes > 0, "no handler could write");
    return 0;
}
