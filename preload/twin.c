// SPDX-License-Identifier: MIT
// Owns the judgement of clone's flags.
#include "twin.h"

#include <sched.h>

#include "bias.h"
#include "random.h"

#include "poison.h"

void uc_twin_notice(int flags)
{
    // With CLONE_VFORK the maker waits until its memory is its own again.
    if ((flags & (CLONE_VM | CLONE_SETTLS | CLONE_VFORK)) != CLONE_VM)
        return;
    uc_random_give_up("the program made a task with clone that shares its maker's thread");
    uc_bias_forbid("the program made a task with clone that shares its maker's thread", true);
}
