// SPDX-License-Identifier: MIT
// An emulator that answers every madvise() with success, whatever the advice, and does nothing.
#include "fault.h"

__attribute__((constructor)) static void install(void)
{
    fault_refuse(SYS_madvise, 0);
}
