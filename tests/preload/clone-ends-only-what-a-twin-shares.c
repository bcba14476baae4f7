// SPDX-License-Identifier: MIT
// claim: clone does as libc's with all its arguments; a task that shares its maker's thread ends the
// generator and reader bias, as the statistics say, and no other kind of task does
// run: UNCONTEND_RANDOM=vdso
// run: UNCONTEND_RANDOM=drbg
#include "lib/check.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/random.h>

#include "lib/dump.h"

enum { STACK = 64 * 1024, READS = 100000, EXIT = 42 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static char *stack;
static char storage[4096] __attribute__((aligned(64)));

// No libc: the task may have no thread-local storage that libc could use.
static int give_number(void *number)
{
    return *(int *)number;
}

static int make(int flags, pid_t *parents, void *tls, pid_t *childs)
{
    int number = EXIT;
    pid_t pid = CHECK_CALL(
        clone(give_number, stack + STACK, flags | SIGCHLD, &number, parents, tls, childs));

    CHECK_IS(check_collect(pid), EXIT);
    return pid;
}

static uint64_t fast_reads(void)
{
    uint64_t before = dump_stat(UC_STAT_LOCK_READ_FAST);

    for (int i = 0; i < READS; i++) {
        CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
        CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    }
    return dump_stat(UC_STAT_LOCK_READ_FAST) - before;
}

static void check_still_on(const char *what)
{
    const char *wanted = getenv("UNCONTEND_RANDOM");

    CHECK(strcmp(dump_root()->random.name, wanted) == 0 && fast_reads() > 0,
          "after clone %s: random is %s, locks are %s", what, dump_root()->random.name,
          dump_root()->locks.name);
}

int main(void)
{
    pid_t pid, in_parent = 0, in_child = 0;
    char byte;

    check_deadline(25);
    stack = (char *)check_shared(STACK);
    CHECK_IS(getrandom(&byte, 1, 0), 1);
    check_still_on("not called");
    make(0, NULL, NULL, NULL);
    check_still_on("as a fork");
    make(CLONE_VM | CLONE_VFORK, NULL, NULL, NULL);
    check_still_on("as a vfork");
    pid = make(CLONE_VM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID, &in_parent,
               storage, &in_child);
    CHECK(in_parent == pid && in_child == pid, "the task's number is %d; clone wrote %d and %d",
          (int)pid, (int)in_parent, (int)in_child);
    check_still_on("with storage of its own");
    errno = 0;
    CHECK_IS(clone(give_number, NULL, SIGCHLD, NULL), -1);
    CHECK_IS(errno, EINVAL);

    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    make(CLONE_VM, NULL, NULL, NULL);
    CHECK(strcmp(dump_root()->random.name, "system") == 0 && dump_root()->random.reason[0] &&
              strcmp(dump_root()->locks.name, "spin") == 0,
          "with a twin random is %s, locks are %s", dump_root()->random.name,
          dump_root()->locks.name);
    CHECK_IS(getrandom(&byte, 1, 0), 1);
    CHECK_IS(pthread_rwlock_trywrlock(&lock), EBUSY);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    CHECK_IS(pthread_rwlock_trywrlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    CHECK_IS(fast_reads(), 0);
    return CHECK_PASS;
}
