// SPDX-License-Identifier: MIT
// clone, for one question: will two tasks be one thread to us? Nothing of its meaning changes: with
// all seven arguments where they were it goes on to the original.
#include "jump.h"
#include "real.h"
#include "twin.h"

static long no_clone(void)
{
    return uc_real_result(-ENOSYS);
}

UC_JUMP_ASKED uc_jump *uc_clone_prepare(void *run, void *stack, int flags);

uc_jump *uc_clone_prepare(void *run, void *stack, int flags)
{
    (void)run;
    (void)stack;
    if (!UC_REAL_READY(clone))
        return (uc_jump *)no_clone;
    uc_twin_notice(flags);
    return (uc_jump *)uc_real.clone;
}

UC_JUMP(clone);
__asm__(".globl __clone\n"
        ".set __clone, clone\n");
