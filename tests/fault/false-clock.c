// SPDX-License-Identifier: MIT
// Another preload gives the program a time of its own, as those that test programs at some date do:
// it stands still.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)
        return (int)syscall(SYS_clock_gettime, clock, now);
    *now = (struct timespec){.tv_sec = 1000000, .tv_nsec = 5};
    return 0;
}
