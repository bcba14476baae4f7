// SPDX-License-Identifier: MIT
// Callers of lto_count: one has it inlined, three call it.
#include "lto.h"

#include <string.h>

#define API __attribute__((visibility("default")))

static __attribute__((flatten, noinline)) void count_inlined(struct odd_state *s)
{
    lto_count(s);
}

#define COLD(name)                                                                                 \
    static __attribute__((cold, noinline)) void name(struct odd_state *s)                          \
    {                                                                                              \
        lto_count(s);                                                                              \
    }
COLD(count_first)
COLD(count_second)
COLD(count_third)

API int odd_call(const char *name, struct odd_state *s, uint64_t n)
{
    static void (*const callers[])(struct odd_state *) = {count_inlined, count_first, count_inlined,
                                                          count_second, count_third};
    if (strcmp(name, "lto_count") != 0)
        return -1;
    for (uint64_t i = 0; i < n; i++)
        callers[i % (sizeof callers / sizeof callers[0])](s);
    return 0;
}
