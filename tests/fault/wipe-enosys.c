// SPDX-License-Identifier: MIT
// A sandbox that says of a madvise() it dislikes that there is none.
#include "fault.h"
#include <errno.h>

__attribute__((constructor)) static void install(void)
{
    fault_refuse_advice(18 /* MADV_WIPEONFORK */, ENOSYS);
}
