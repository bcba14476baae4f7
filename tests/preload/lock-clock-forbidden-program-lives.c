// SPDX-License-Identifier: MIT
// The kernel's strict mode of seccomp takes the CPU's clock away, and so does PR_SET_TSC: reading
// it is a SIGSEGV from then on.
// claim: a program that forbids itself the CPU's clock goes on locking, and waiting for locks
// old-kernel: none, a process that has a filter is refused the strict mode
// run: UNCONTEND_TEST_EAGER_BIAS=on
// run: UNCONTEND_LOCKS=on
// run: UNCONTEND_LOCKS=spin
// run: UNCONTEND_SYSCALL=on UNCONTEND_TEST_EAGER_BIAS=on
#include "lib/dump.h"
#include "lib/locks.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum way { STRICT, STRICT_BY_SECCOMP, STRICT_BY_NUMBER, CLOCK_ALONE, CLOCK_BY_NUMBER, WAYS };

static pthread_rwlock_t lock, other;

static void forbid(enum way way)
{
    if (way == STRICT)
        CHECK_CALL(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0));
    else if (way == STRICT_BY_SECCOMP)
        CHECK_CALL(syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL));
    else if (way == STRICT_BY_NUMBER)
        CHECK_CALL(syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0));
    else if (way == CLOCK_ALONE)
        CHECK_CALL(prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0));
    else
        CHECK_CALL(syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0));
}

static void use(pthread_rwlock_t *l)
{
    for (int i = 0; i < 3; i++) {
        read_times(l, WARM_READS);
        CHECK_IS(pthread_rwlock_wrlock(l), 0);
        release(l);
    }
}

// The caller waits for it; whoever made the thread must not have been forbidden the clock yet.
static pthread_barrier_t begin;

// No deadline is made after that.
static struct timespec late;

#ifdef __GLIBC__ // musl looks at the clock itself when there is one
static int timed_write_late(pthread_rwlock_t *l)
{
    return pthread_rwlock_timedwrlock(l, &late);
}

static int timed_read_late(pthread_rwlock_t *l)
{
    return pthread_rwlock_timedrdlock(l, &late);
}
#endif

static lock_function *const waits[] = {
    pthread_rwlock_wrlock,
    pthread_rwlock_rdlock,
#ifdef __GLIBC__
    timed_write_late,
    timed_read_late,
#endif
};

static void *let_go_when_waited_for(void *unused)
{
    for (int i = 0; i < LOCKS_COUNT(waits); i++) {
        uint64_t before = dump_stat(UC_STAT_LOCK_WAITED);

        CHECK_IS(pthread_rwlock_wrlock(&other), 0);
        pthread_barrier_wait(&begin);
        while (dump_stat(UC_STAT_LOCK_WAITED) == before)
            sched_yield();
        release(&other);
        pthread_barrier_wait(&begin);
    }
    return unused;
}

static int live(void *arg)
{
    enum way way = *(enum way *)arg;

    if (way >= CLOCK_ALONE) {
        pthread_barrier_init(&begin, NULL, 2);
        (void)check_thread(let_go_when_waited_for, NULL);
    }
    use(&lock);
    read_times(&lock, WARM_READS);
    forbid(way);
    use(&lock);
    if (way < CLOCK_ALONE) {
        syscall(SYS_exit, CHECK_PASS); // exit_group is not allowed
        return 1;
    }
    for (int i = 0; i < LOCKS_COUNT(waits); i++) {
        pthread_barrier_wait(&begin);
        CHECK_IS(waits[i](&other), 0);
        release(&other);
        pthread_barrier_wait(&begin);
    }
    return CHECK_PASS;
}

int main(void)
{
    locks_deadline();
    CHECK_CALL(clock_gettime(CLOCK_REALTIME, &late));
    late.tv_sec += 1000;
    for (enum way way = STRICT; way < WAYS; way++)
        CHECK_IS(check_in_child(live, &way), CHECK_PASS);
    return CHECK_PASS;
}
