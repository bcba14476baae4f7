// SPDX-License-Identifier: MIT
// A sandbox that forbids getrandom(), from before the first draw.
#include "fault.h"
#include <errno.h>

__attribute__((constructor)) static void install(void)
{
    fault_refuse(SYS_getrandom, EPERM);
}
