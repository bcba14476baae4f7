// SPDX-License-Identifier: MIT
// vm.memfd_noexec=2 (Linux 6.3): no memory file is executable.
#include "fault.h"

__attribute__((constructor)) static void install(void)
{
    fault_memfd_noexec("2");
}
