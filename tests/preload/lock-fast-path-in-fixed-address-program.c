// SPDX-License-Identifier: MIT
// claim: a program that is no PIE and takes the functions' addresses still gets fast readers
// plain
// cflags: -fno-pie -no-pie
//
// The address of a function is then that of a stub inside the program, in its symbol table too; it
// does not mean that the program defines the function.
#include "lib/scene.h"

static void read_by_address(void)
{
    static pthread_rwlock_t lock;
    lock_function *volatile take = pthread_rwlock_rdlock, *volatile give = pthread_rwlock_unlock;

    for (int i = 0; i < 2 * WARM_READS; i++) {
        CHECK_IS(take(&lock), 0);
        CHECK_IS(give(&lock), 0);
    }
}

int main(int argc, char **argv)
{
    static const struct scene scenes[] = {
        {"reads by address", read_by_address, "on", "on", 2 * WARM_READS - 10, 2 * WARM_READS},
    };

    return scenes_main(argc, argv, scenes, LOCKS_COUNT(scenes));
}
