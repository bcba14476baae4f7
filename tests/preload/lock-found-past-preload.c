// SPDX-License-Identifier: MIT
// claim: exclusion holds against a writer that found libc's functions by dlvsym or a libc handle
// matrix: locks
//
// Both searches go past a preload: dlvsym because the preload's symbols have no version.
#include "lib/found.h"

int main(void)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    struct way ways[] = {
        find_way(RTLD_NEXT, "GLIBC_2.2.5"),
        find_way(RTLD_DEFAULT, "GLIBC_2.34"),
        find_way(libc, NULL),
    };

    locks_deadline();
    for (int i = 0; i < LOCKS_COUNT(ways); i++)
        versus(&plain_names, &ways[i]);
    return 0;
}
