// SPDX-License-Identifier: MIT
// Owns the draws for libuncontend-rand.so, which has the names of the RAND_bytes family. Must not
// define those names: in front of every program they would do harm even when the feature is off.
#include <limits.h>

#include "draw.h"
#include "random.h"

int uncontend_draw(void *buf, size_t n)
{
    long r;
    if (!uc_random_also.rand_bytes || n > INT_MAX)
        return 0;
    if (uc_likely(uc_random_quick(buf, n, 0, UC_STAT_RAND_BYTES, false)))
        return 1;
    if (uc_random_quick_vdso(&r, buf, n, 0, UC_STAT_RAND_BYTES, false))
        return r == (long)n;
    return uc_random_quick_large(buf, n, 0, UC_STAT_RAND_BYTES) ||
           uc_random_draw(buf, n, 0, UC_STAT_RAND_BYTES) == (long)n;
}
