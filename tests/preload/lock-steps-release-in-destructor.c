// SPDX-License-Identifier: MIT
// claim: a read lock given back in a thread's last destructor leaves no trace, nor hides another's
// matrix: steps
//
// POSIX allows it. The destructor puts itself off by a round, so that it comes after all others,
// those of libraries included, whatever the order of the keys.
#include "lib/releases.h"

static pthread_key_t key;

static void destroy(void *round)
{
    static char last_round;

    if (round == &last_round)
        releases_theirs();
    else
        CHECK_IS(pthread_setspecific(key, &last_round), 0);
}

static void *hold_and_end(void *unused)
{
    static char first_round;

    read_times(&releases_lock, 1500);
    CHECK_IS(pthread_rwlock_rdlock(&releases_lock), 0);
    CHECK_IS(pthread_setspecific(key, &first_round), 0);
    return unused;
}

static long try_moment(int which)
{
    return releases_try(which, hold_and_end);
}

int main(void)
{
    CHECK_IS(pthread_key_create(&key, destroy), 0);
    return releases_main(try_moment);
}
