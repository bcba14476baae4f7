// SPDX-License-Identifier: MIT
// A library whose constructor runs before ours and waits until it may read a byte: what is mapped
// then has not started.
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void wait_for_leave(void)
{
    const char *from = getenv("WAIT_ON");
    char byte;

    if (from)
        while (read(atoi(from), &byte, 1) < 0)
            ;
}
