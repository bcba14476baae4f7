// SPDX-License-Identifier: MIT
// claim: a thread that never locked gives back one of two holds while the other's owner gives back
// its own: the lock is free then
// matrix: steps
//
// Undefined by POSIX; glibc counts, so it works. Both threads but the owner are new each time.
#include "lib/holder.h"
#include "lib/releases.h"

static void *give_back(void *unused)
{
    holder_begin(&releases_lock);
    releases_theirs();
    return unused;
}

static long try_moment(int which)
{
    long steps;

    if (releases[which].warm_reads == 0)
        return 1; // libc counts one of the two, and may count none a moment later: docs/design.md
    steps = releases_try(which, give_back);

    holder_end();
    return steps;
}

int main(void)
{
    return releases_main(try_moment);
}
