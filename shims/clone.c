// SPDX-License-Identifier: MIT
// clone, for one question: will two tasks be one thread to us? Nothing of its meaning changes; like
// dlopen's shims it jumps to the original, with all seven arguments where they were.
#include "real.h"
#include "twin.h"

typedef void jump(void);

static long no_clone(void)
{
    return uc_real_result(-ENOSYS);
}

__attribute__((visibility("hidden"), used)) jump *uc_clone_prepare(void *run, void *stack,
                                                                   int flags);

jump *uc_clone_prepare(void *run, void *stack, int flags)
{
    (void)run;
    (void)stack;
    if (!UC_REAL_READY(clone))
        return (jump *)no_clone;
    uc_twin_notice(flags);
    return (jump *)uc_real.clone;
}

#if defined(__x86_64__)
// Six words pushed, and one more that keeps the stack aligned for the call.
__asm__(".text\n"
        ".p2align 4\n"
        ".globl clone, __clone\n"
        ".type clone, @function\n"
        ".type __clone, @function\n"
        "clone:\n"
        "__clone:\n\t"
        ".cfi_startproc\n\t"
        "endbr64\n\t"
        "pushq %rdi; .cfi_adjust_cfa_offset 8\n\t"
        "pushq %rsi; .cfi_adjust_cfa_offset 8\n\t"
        "pushq %rdx; .cfi_adjust_cfa_offset 8\n\t"
        "pushq %rcx; .cfi_adjust_cfa_offset 8\n\t"
        "pushq %r8;  .cfi_adjust_cfa_offset 8\n\t"
        "pushq %r9;  .cfi_adjust_cfa_offset 8\n\t"
        "subq $8, %rsp; .cfi_adjust_cfa_offset 8\n\t"
        "call uc_clone_prepare\n\t"
        "addq $8, %rsp; .cfi_adjust_cfa_offset -8\n\t"
        "popq %r9;  .cfi_adjust_cfa_offset -8\n\t"
        "popq %r8;  .cfi_adjust_cfa_offset -8\n\t"
        "popq %rcx; .cfi_adjust_cfa_offset -8\n\t"
        "popq %rdx; .cfi_adjust_cfa_offset -8\n\t"
        "popq %rsi; .cfi_adjust_cfa_offset -8\n\t"
        "popq %rdi; .cfi_adjust_cfa_offset -8\n\t"
        "jmp *%rax\n\t"
        ".cfi_endproc\n"
        ".size clone, . - clone\n"
        ".size __clone, . - __clone\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".globl clone, __clone\n"
        ".type clone, %function\n"
        ".type __clone, %function\n"
        "clone:\n"
        "__clone:\n\t"
        ".cfi_startproc\n\t"
        "hint #34\n\t" // bti c
        "stp x0, x1, [sp, #-64]!\n\t"
        ".cfi_adjust_cfa_offset 64\n\t"
        "stp x2, x3, [sp, #16]\n\t"
        "stp x4, x5, [sp, #32]\n\t"
        "stp x6, x30, [sp, #48]\n\t"
        ".cfi_rel_offset x30, 56\n\t"
        "bl uc_clone_prepare\n\t"
        "mov x16, x0\n\t"
        "ldp x6, x30, [sp, #48]\n\t"
        ".cfi_restore x30\n\t"
        "ldp x4, x5, [sp, #32]\n\t"
        "ldp x2, x3, [sp, #16]\n\t"
        "ldp x0, x1, [sp], #64\n\t"
        ".cfi_adjust_cfa_offset -64\n\t"
        "br x16\n\t"
        ".cfi_endproc\n"
        ".size clone, . - clone\n"
        ".size __clone, . - __clone\n");
#endif
