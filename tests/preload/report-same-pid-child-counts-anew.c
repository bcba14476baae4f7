// SPDX-License-Identifier: MIT
// claim: a child by a raw system call that has its parent's pid is a fork all the same: its counts
// start at zero, once it asks
// old-kernel: none, such a fork goes unseen there
//
// It is process 1 of a pid namespace, as its parent is of another, since its exec. A thread that is
// new asks.
#include "lib/dump.h"

#include <sched.h>
#include <sys/random.h>
#include <sys/syscall.h>

static void *draw(void *unused)
{
    uint8_t bytes[16];

    CHECK_IS(getrandom(bytes, sizeof(bytes), 0), sizeof(bytes));
    return unused;
}

// Root has the right to namespaces; others are root in one of their own.
static void become_root(void)
{
    char map[64];
    int length = snprintf(map, sizeof(map), "0 %u 1", (unsigned)geteuid());
    int fd;

    if (geteuid() == 0)
        return;
    CHECK_CALL(unshare(CLONE_NEWUSER));
    fd = CHECK_CALL(open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC));
    CHECK_IS(write(fd, map, (size_t)length), length);
    close(fd);
}

static pid_t clone_into_namespace(void)
{
    return CHECK_CALL((pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL));
}

static void check_new(void)
{
    CHECK_IS(getpid(), 1);
    check_join(check_thread(draw, NULL));
    CHECK_IS(dump_stat(UC_STAT_FORKS), 1);
    CHECK_IS(dump_stat(UC_STAT_GETRANDOM), 1);
}

static int outer(void)
{
    pid_t child;

    CHECK_IS(getpid(), 1);
    draw(NULL);
    draw(NULL);
    child = clone_into_namespace();
    if (child == 0) {
        check_new();
        _exit(CHECK_PASS);
    }
    CHECK_IS(dump_stat(UC_STAT_GETRANDOM), 2);
    return check_collect(child);
}

int main(int argc, char **argv)
{
    pid_t child;

    if (argc > 1)
        return outer();
    check_deadline(25);
    become_root();
    child = clone_into_namespace();
    if (child == 0) {
        execl("/proc/self/exe", argv[0], "outer", NULL);
        _exit(CHECK_FAILED);
    }
    return check_collect(child);
}
