// SPDX-License-Identifier: MIT
// A kernel before 3.17, or a sandbox that pretends to be one: no getrandom().
#include "fault.h"
#include <errno.h>

__attribute__((constructor)) static void install(void)
{
    fault_refuse(SYS_getrandom, ENOSYS);
}
