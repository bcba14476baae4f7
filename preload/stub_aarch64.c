// SPDX-License-Identifier: MIT
// No stubs for aarch64 yet: the counters engine stays off there.
#if defined(__aarch64__)
#include "stub.h"

#include "poison.h"

bool uc_stub_possible(void)
{
    return false;
}

size_t uc_stub_write(uint8_t out[UC_STUB_MAX], const struct uc_action *a,
                     const struct uc_stub_count *c)
{
    (void)out;
    (void)a;
    (void)c;
    return 0;
}

size_t uc_stub_jump(uint8_t out[UC_STUB_FAR], uintptr_t from, uintptr_t to)
{
    (void)out;
    (void)from;
    (void)to;
    return 0;
}
#endif
