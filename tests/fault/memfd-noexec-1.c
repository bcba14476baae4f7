// SPDX-License-Identifier: MIT
// vm.memfd_noexec=1 (Linux 6.3): memory files are not executable unless that is asked for.
#include "fault.h"

__attribute__((constructor)) static void install(void)
{
    fault_memfd_noexec("1");
}
