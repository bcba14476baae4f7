// SPDX-License-Identifier: MIT
// Owns the way to the vDSO's clock.
#include "now.h"

#include <sys/auxv.h>

#include "sys.h"
#include "vdso.h"

#include "poison.h"

#if defined(__x86_64__)
#define NAME "__vdso_clock_gettime"
#else
#define NAME "__kernel_clock_gettime"
#endif

static int (*read_clock)(clockid_t clock, struct timespec *now);

void uc_now_start(void)
{
    const void *start = (const void *)getauxval(AT_SYSINFO_EHDR);
    read_clock = (int (*)(clockid_t, struct timespec *))(uintptr_t)uc_vdso_find(start, NAME);
}

uint64_t uc_now(void)
{
    struct timespec now = {0};
    if (!read_clock || read_clock(CLOCK_MONOTONIC, &now) != 0)
        (void)UC_SYS2(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}
