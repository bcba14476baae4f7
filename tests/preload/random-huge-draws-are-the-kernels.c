// SPDX-License-Identifier: MIT
// claim: what only newer kernels give in one call, more than 33,554,431 bytes, is asked of the kernel,
// whose answer is right for itself; what all of them give is not
// run: UNCONTEND_RANDOM=drbg
// old-kernel: none, there is no drbg there
#include "lib/dump.h"
#include <sys/random.h>

enum { ALL_GIVE = 33554431 };

static uint64_t asked_of_the_kernel(void *to, size_t bytes)
{
    uint64_t before = dump_stat(UC_STAT_RANDOM_KERNEL);
    ssize_t drawn = getrandom(to, bytes, 0);

    CHECK(drawn == (ssize_t)bytes || (bytes > ALL_GIVE && drawn == ALL_GIVE), "%zu bytes: %zd",
          bytes, drawn);
    return dump_stat(UC_STAT_RANDOM_KERNEL) - before;
}

int main(void)
{
    void *to = malloc(ALL_GIVE + 1);

    CHECK(to != NULL, "no memory");
    CHECK_IS(asked_of_the_kernel(to, ALL_GIVE), 0);
    CHECK_IS(asked_of_the_kernel(to, ALL_GIVE + 1), 1);
    free(to);
    return CHECK_PASS;
}
