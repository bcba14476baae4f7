// SPDX-License-Identifier: MIT
// A kernel or a sandbox without membarrier().
#include "fault.h"
#include <errno.h>

__attribute__((constructor)) static void install(void)
{
    fault_refuse(SYS_membarrier, ENOSYS);
}
