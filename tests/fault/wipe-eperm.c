// SPDX-License-Identifier: MIT
// A sandbox that allows madvise(), but not this advice.
#include "fault.h"
#include <errno.h>

__attribute__((constructor)) static void install(void)
{
    fault_refuse_advice(18 /* MADV_WIPEONFORK */, EPERM);
}
