// SPDX-License-Identifier: MIT
// claim: `uncontend stat` tells how long a process runs by that process's own clock, whichever of the
// two is in a time namespace
// plain
#include "lib/tool.h"

#include <sched.h>

static const char *const shifts[] = {"monotonic 500000 0", "monotonic -5 0", "monotonic 0 7"};

static void check_up(pid_t process)
{
    CHECK_IS(TOOL("stat", "-j", tool_number(process)), 0);
    uint64_t up = tool_json(tool_out, "uptime_ms");
    CHECK(up > 0 && up < 40000, "it has run for some milliseconds, not %lu", up);
}

// Children are in a time namespace of their own from here on.
static void shift_clock_of_children(const char *shift)
{
    int fd;

    if (unshare(CLONE_NEWTIME) < 0)
        SKIP("no right to make a time namespace: %s", strerror(errno));
    fd = CHECK_CALL(open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC));
    check_write(fd, shift, strlen(shift));
    close(fd);
}

// Started before, the other one is left outside.
static int watch(void *pids)
{
    volatile pid_t *shared = (volatile pid_t *)pids;

    while (!*shared)
        usleep(1000);
    check_up(*shared);
    return CHECK_PASS;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        usleep(2000);
        tool_wait();
        return CHECK_PASS;
    }
    check_deadline(25);
    for (size_t i = 0; i < sizeof(shifts) / sizeof(*shifts); i++) {
        volatile pid_t *inside = (volatile pid_t *)check_shared(sizeof(*inside));
        int leash, other;
        pid_t outside, watcher;
        int home = CHECK_CALL(open("/proc/self/ns/time", O_RDONLY | O_CLOEXEC));

        outside = tool_start("outside", NULL, &other);
        watcher = check_child(watch, (void *)(uintptr_t)inside);
        shift_clock_of_children(shifts[i]);
        pid_t process = tool_start("inside", NULL, &leash);
        *inside = process;
        CHECK_IS(check_collect(watcher), CHECK_PASS);
        check_up(process);
        check_up(outside);
        tool_end(process, leash);
        tool_end(outside, other);
        CHECK_CALL(setns(home, CLONE_NEWTIME));
        close(home);
    }
    return CHECK_PASS;
}
