// SPDX-License-Identifier: MIT
// PR_SET_MDWE: no mapping may become executable that was not made so (Linux 6.3).
#include "fault.h"

enum { SET_MDWE = 65, REFUSE_EXEC_GAIN = 1 };

__attribute__((constructor)) static void install(void)
{
    if (prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0) != 0)
        fault_impossible("no PR_SET_MDWE here");
}
