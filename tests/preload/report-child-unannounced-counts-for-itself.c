// SPDX-License-Identifier: MIT
// claim: the dump of a child that no atfork handler was told of begins at nought, under its own
// number, also where no memory is wiped in it; a vfork's child, which has its parent's memory,
// leaves the parent its counts
// run: UNCONTEND_SIGNAL=USR1
// run: UNCONTEND_SIGNAL=USR1 with=wipe-einval
#include "lib/hot.h"

#include <sys/random.h>

#include "lib/forks.h"

enum { DRAWS = 10 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void draw(int times)
{
    char byte;

    for (int i = 0; i < times; i++)
        CHECK_IS(getrandom(&byte, 1, 0), 1);
}

static void *write_once(void *unused)
{
    CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    return unused;
}

// raise() of musl signals the thread that it remembers, which in such a child is the parent's.
static int raise_here(void)
{
    return (int)syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
}

static int dump_and_count(void *unused)
{
    CHECK_IS(raise_here(), 0);
    CHECK_IS(dump_root()->pid, getpid());
    CHECK_IS(dump_stat(UC_STAT_GETRANDOM), 0);
    CHECK_IS(dump_stat(UC_STAT_FORKS), 1);
    CHECK_IS(hot_sum(&lock, true).tries, 0);
    draw(3);
    hot_wait_once(&lock, write_once);
    CHECK_IS(raise_here(), 0); // not once more
    CHECK_IS(dump_stat(UC_STAT_GETRANDOM), 3);
    CHECK_IS(hot_sum(&lock, true).tries, 1);
    (void)unused;
    return CHECK_PASS;
}

static void check_kept(const char *after)
{
    CHECK(dump_stat(UC_STAT_GETRANDOM) == DRAWS && hot_sum(&lock, true).tries == 1 &&
              dump_root()->pid == (uint32_t)getpid(),
          "after %s: %lu draws, %lu waits, number %u", after, dump_stat(UC_STAT_GETRANDOM),
          hot_sum(&lock, true).tries, dump_root()->pid);
}

int main(void)
{
    pid_t pid;

    check_deadline(25);
    draw(DRAWS);
    hot_wait_once(&lock, write_once);
    for (int i = 0; i < FORK_WAYS; i++) {
        CHECK_IS(fork_and_run(&fork_ways[i], dump_and_count, NULL), CHECK_PASS);
        check_kept(fork_ways[i].name);
    }
    pid = vfork();
    if (pid == 0) {
        raise_here();
        _exit(CHECK_PASS);
    }
    CHECK_IS(check_collect(pid), CHECK_PASS);
    check_kept("vfork");
    return CHECK_PASS;
}
