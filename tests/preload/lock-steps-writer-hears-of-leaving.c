// SPDX-License-Identifier: MIT
// claim: at whatever instruction of a writer's call the last reader leaves, the writer hears of it
// matrix: steps
//
// One thread asks to write, instruction by instruction. Between two of them, each pair once, the
// reader lets go; where the writer sleeps before that, it does so then. A wake-up that is lost ends
// in the deadline. On one CPU, where nobody spins, so that the call is short.
#include "lib/steps.h"

static const struct encounter {
    const char *name;
    lock_function *write;
    int times, warm_reads;
} encounters[] = {
    {"read", pthread_rwlock_wrlock, 1, 1500},
    {"read twice", pthread_rwlock_wrlock, 2, 1500},
    {"read, deadline", monotonic_write_long, 1, 1500},
    {"read 1st", pthread_rwlock_wrlock, 1, 0},
    {"read 3rd", pthread_rwlock_wrlock, 1, 2},
};

static pthread_rwlock_t lock;
static struct actor reader;
static pid_t writer;
static const struct encounter *now;
static int may_leave;
static int writer_slept;

static int take(pthread_rwlock_t *it)
{
    for (int i = 0; i < now->times; i++)
        CHECK_IS(pthread_rwlock_rdlock(it), 0);
    return 0;
}

static int leave(pthread_rwlock_t *it)
{
    for (int asleep = 0; !__atomic_load_n(&may_leave, __ATOMIC_SEQ_CST) && asleep < 4;) {
        asleep = thread_sleeps(writer) ? asleep + 1 : 0;
        sched_yield();
    }
    writer_slept += !__atomic_load_n(&may_leave, __ATOMIC_SEQ_CST);
    for (int i = 0; i < now->times; i++)
        CHECK_IS(pthread_rwlock_unlock(it), 0);
    return 0;
}

static void ask(void *unused)
{
    (void)unused;
    CHECK_IS(now->write(&lock), 0);
    steps_stop();
}

// The reader has left when this returns. Its answer is fetched later: sem_wait would have it wait
// for this thread's sleep.
static void visit(long step)
{
    if (step < steps_moment)
        return;
    __atomic_store_n(&may_leave, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&reader.done, __ATOMIC_SEQ_CST))
        sched_yield();
    steps_stop();
}

static long try_moment(int which)
{
    long steps;

    now = &encounters[which];
    read_times(&lock, now->warm_reads);
    CHECK_IS(actor_do(&reader, take, &lock), 0);
    __atomic_store_n(&may_leave, 0, __ATOMIC_SEQ_CST);
    actor_ask(&reader, leave, &lock);
    steps = steps_run(ask, NULL, visit);
    CHECK_IS(actor_answer(&reader), 0);
    release(&lock);
    return steps;
}

// The library counts the CPUs when it is loaded. Not the first CPU, where the next run of this test
// would be, too, but that which the kernel has chosen.
static void stay_on_one_cpu(char **argv)
{
    cpu_set_t all;
    cpu_set_t one;

    CHECK_CALL(sched_getaffinity(0, sizeof(all), &all));
    if (CPU_COUNT(&all) == 1)
        return;
    CPU_ZERO(&one);
    CPU_SET(CHECK_CALL(sched_getcpu()), &one);
    CHECK_CALL(sched_setaffinity(0, sizeof(one), &one));
    execv("/proc/self/exe", argv);
    FAIL("execv: %s", strerror(errno));
}

int main(int argc, char **argv)
{
    (void)argc;
    stay_on_one_cpu(argv);
    locks_deadline();
    writer = (pid_t)syscall(SYS_gettid);
    actor_start(&reader);
    steps_explore(try_moment, LOCKS_COUNT(encounters));
    CHECK(writer_slept > 0, "no writer had to sleep");
    return 0;
}
