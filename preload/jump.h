// SPDX-License-Identifier: MIT
// Owns shims that must not be seen on the stack: libc reads its caller's address there, or has as
// many arguments as it has registers for, and more.
// Cost: six words pushed and popped, and what is asked.
#ifndef UC_JUMP_H
#define UC_JUMP_H

#include "compiler.h"

typedef void uc_jump(void); // where to go; the arguments are in their registers

// Of functions that only the jumps call.
#define UC_JUMP_ASKED __attribute__((visibility("hidden"), used))

// UC_JUMP(name): a function of that name which calls uc_<name>_prepare with its arguments, and
// jumps to where that says with all of them where they were.
#if defined(__x86_64__)
// One word more keeps the stack aligned for the call.
#define UC_JUMP(name)                                                                              \
    __asm__(".text\n"                                                                              \
            ".p2align 4\n"                                                                         \
            ".globl " #name "\n"                                                                   \
            ".type " #name ", @function\n" #name ":\n\t"                                           \
            ".cfi_startproc\n\t"                                                                   \
            "endbr64\n\t"                                                                          \
            "pushq %rdi; .cfi_adjust_cfa_offset 8\n\t"                                             \
            "pushq %rsi; .cfi_adjust_cfa_offset 8\n\t"                                             \
            "pushq %rdx; .cfi_adjust_cfa_offset 8\n\t"                                             \
            "pushq %rcx; .cfi_adjust_cfa_offset 8\n\t"                                             \
            "pushq %r8;  .cfi_adjust_cfa_offset 8\n\t"                                             \
            "pushq %r9;  .cfi_adjust_cfa_offset 8\n\t"                                             \
            "subq $8, %rsp; .cfi_adjust_cfa_offset 8\n\t"                                          \
            "call uc_" #name "_prepare\n\t"                                                        \
            "addq $8, %rsp; .cfi_adjust_cfa_offset -8\n\t"                                         \
            "popq %r9;  .cfi_adjust_cfa_offset -8\n\t"                                             \
            "popq %r8;  .cfi_adjust_cfa_offset -8\n\t"                                             \
            "popq %rcx; .cfi_adjust_cfa_offset -8\n\t"                                             \
            "popq %rdx; .cfi_adjust_cfa_offset -8\n\t"                                             \
            "popq %rsi; .cfi_adjust_cfa_offset -8\n\t"                                             \
            "popq %rdi; .cfi_adjust_cfa_offset -8\n\t"                                             \
            "jmp *%rax\n\t"                                                                        \
            ".cfi_endproc\n"                                                                       \
            ".size " #name ", . - " #name "\n")
#elif defined(__aarch64__)
#define UC_JUMP(name)                                                                              \
    __asm__(".text\n"                                                                              \
            ".p2align 4\n"                                                                         \
            ".globl " #name "\n"                                                                   \
            ".type " #name ", %function\n" #name ":\n\t"                                           \
            ".cfi_startproc\n\t"                                                                   \
            "hint #34\n\t" /* bti c */                                                             \
            "stp x0, x1, [sp, #-64]!\n\t"                                                          \
            ".cfi_adjust_cfa_offset 64\n\t"                                                        \
            "stp x2, x3, [sp, #16]\n\t"                                                            \
            "stp x4, x5, [sp, #32]\n\t"                                                            \
            "stp x6, x30, [sp, #48]\n\t"                                                           \
            ".cfi_rel_offset x30, 56\n\t"                                                          \
            "bl uc_" #name "_prepare\n\t"                                                          \
            "mov x16, x0\n\t"                                                                      \
            "ldp x6, x30, [sp, #48]\n\t"                                                           \
            ".cfi_restore x30\n\t"                                                                 \
            "ldp x4, x5, [sp, #32]\n\t"                                                            \
            "ldp x2, x3, [sp, #16]\n\t"                                                            \
            "ldp x0, x1, [sp], #64\n\t"                                                            \
            ".cfi_adjust_cfa_offset -64\n\t"                                                       \
            "br x16\n\t"                                                                           \
            ".cfi_endproc\n"                                                                       \
            ".size " #name ", . - " #name "\n")
#endif

#endif
