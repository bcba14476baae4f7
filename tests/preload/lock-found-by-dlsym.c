// SPDX-License-Identifier: MIT
// claim: functions found by dlsym in the default order share the lock with plain callers
// matrix: locks
#include "lib/found.h"

int main(void)
{
    struct way ways[] = {
        find_way(RTLD_DEFAULT, NULL),
        find_way(RTLD_NEXT, NULL),
        find_way(dlopen(NULL, RTLD_NOW), NULL),
    };

    locks_deadline();
    for (int i = 0; i < LOCKS_COUNT(ways); i++)
        versus(&plain_names, &ways[i]);
    return 0;
}
