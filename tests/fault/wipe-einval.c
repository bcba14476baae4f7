// SPDX-License-Identifier: MIT
// A kernel before 4.14: it does not know MADV_WIPEONFORK, nor the advice that takes it back.
#include "fault.h"
#include <errno.h>

__attribute__((constructor)) static void install(void)
{
    fault_refuse_advice(18 /* MADV_WIPEONFORK */, EINVAL);
    fault_refuse_advice(19 /* MADV_KEEPONFORK */, EINVAL);
}
