// SPDX-License-Identifier: MIT
// claim: after a fork in a handler of a waiting writer, the child's later writers are woken, too
// matrix: locks
// waits
//
// The child returns into the interrupted call. Whoever read the lock does not exist there and will
// not give it back, so the child has its deadline pass: the call looks at the program's own copy.
#include "lib/locks.h"

#include "lib/forks.h"

static pthread_rwlock_t waited_for, later;
static struct actor reader, child_reader;
static struct timespec deadline;
static const struct fork_way *way;
static pid_t writer, child;

static void fork_here(int number)
{
    int saved = errno;
    pid_t pid = CHECK_CALL(way->fork());

    (void)number;
    if (pid == 0)
        deadline.tv_sec = 1;
    __atomic_store_n(&child, pid, __ATOMIC_SEQ_CST);
    errno = saved;
}

static int leave_when_writer_sleeps(pthread_rwlock_t *lock)
{
    until_asleep(writer);
    return pthread_rwlock_unlock(lock);
}

static int interrupt_and_leave(pthread_rwlock_t *lock)
{
    until_asleep(writer);
    CHECK_CALL(syscall(SYS_tgkill, getpid(), writer, SIGUSR2));
    while (__atomic_load_n(&child, __ATOMIC_SEQ_CST) == 0)
        sched_yield();
    return leave_when_writer_sleeps(lock);
}

static void write_in_child(void)
{
    check_deadline(10);
    writer = (pid_t)syscall(SYS_gettid);
    actor_start(&child_reader);
    CHECK_IS(actor_do(&child_reader, warm_and_hold, &later), 0);
    actor_ask(&child_reader, leave_when_writer_sleeps, &later);
    CHECK_IS(pthread_rwlock_wrlock(&later), 0);
    CHECK_IS(actor_answer(&child_reader), 0);
    release(&later);
    _exit(CHECK_PASS);
}

static void try_way(void)
{
    int error, status;

    child = 0;
    deadline = time_after(CLOCK_REALTIME, LONG_WAIT);
    CHECK_IS(actor_do(&reader, warm_and_hold, &waited_for), 0);
    actor_ask(&reader, interrupt_and_leave, &waited_for);
    error = pthread_rwlock_timedwrlock(&waited_for, &deadline);
    if (deadline.tv_sec == 1) {
        CHECK(error == 0 || error == ETIMEDOUT, "%s: in the child, %d", way->name, error);
        write_in_child();
    }
    CHECK_IS(error, 0);
    CHECK_IS(actor_answer(&reader), 0);
    release(&waited_for);
    status = check_collect(child);
    CHECK(status == CHECK_PASS, "%s: the child ended with %d", way->name, status);
}

int main(void)
{
    struct sigaction action = {.sa_handler = fork_here, .sa_flags = SA_RESTART};

    locks_deadline();
    CHECK_CALL(sigaction(SIGUSR2, &action, NULL));
    writer = (pid_t)syscall(SYS_gettid);
    actor_start(&reader);
    for (int i = 0; i < FORK_WAYS; i++) {
        way = &fork_ways[i];
        try_way();
    }
    return CHECK_PASS;
}
