// SPDX-License-Identifier: MIT
// A kernel or a sandbox without memfd_create().
#include "fault.h"
#include <errno.h>

__attribute__((constructor)) static void install(void)
{
    fault_refuse(SYS_memfd_create, ENOSYS);
}
