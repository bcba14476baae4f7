// SPDX-License-Identifier: MIT
// Owns syscall(): SYS_getrandom is drawn here when UNCONTEND_SYSCALL is on, and a program that sets
// up a filter for itself is noticed. Every other number goes on to the original with all its
// arguments where they were, on the stack too: a jump, not a call, since a child of vfork or clone
// returns through here as well.
#include "confined.h"
#include "random.h"
#include "real.h"
#include "sys.h"

static __attribute__((used)) long draw(long number, void *buf, size_t n, unsigned flags)
{
    if (uc_random_also.by_number) {
        long r;
        if (uc_likely(uc_random_quick(buf, n, flags, UC_STAT_SYSCALL, false)) ||
            uc_random_quick_large(buf, n, flags, UC_STAT_SYSCALL))
            return (long)n;
        if (!uc_random_quick_vdso(&r, buf, n, flags, UC_STAT_SYSCALL, false))
            r = uc_random_draw(buf, n, flags, UC_STAT_SYSCALL);
        if (r != UC_RANDOM_PASS)
            return uc_real_result(r);
    }
    if (UC_REAL_READY(syscall))
        return uc_real.syscall(number, buf, n, flags);
    long r = uc_sys_getrandom(buf, n, flags);
    return uc_real_result(r);
}

#if defined(__x86_64__)

// Before our object is relocated there is no original to be found: the kernel itself, as libc does.
long uc_syscall_raw(long number, ...);

static __attribute__((used)) void *next; // the original, once it was found

static __attribute__((used)) void *find_next(long number, long first, long second, long third)
{
    if (uc_real_possible())
        uc_confined_notice(number, first, second, third);
    if (!UC_REAL_READY(syscall))
        return (void *)(uintptr_t)uc_syscall_raw;
    next = (void *)(uintptr_t)uc_real.syscall;
    return next;
}

static __attribute__((used)) long raw_failed(long r)
{
    return uc_real_result(r);
}

_Static_assert(SYS_getrandom == 318 && SYS_seccomp == 317 && SYS_prctl == 157, "the numbers below");

// clang-format off
__asm__(
    ".pushsection .text\n"
    ".globl syscall\n"
    ".type syscall, @function\n"
    "syscall:\n"
    "    .cfi_startproc\n"
    "    endbr64\n"
    "    cmpq $318, %rdi\n"
    "    je draw\n"
    "    cmpq $317, %rdi\n"
    "    je 1f\n"
    "    cmpq $157, %rdi\n"
    "    je 1f\n"
    "    movq next(%rip), %rax\n"
    "    testq %rax, %rax\n"
    "    jz 1f\n"
    "    jmp *%rax\n"
    "1:  pushq %rdi; .cfi_adjust_cfa_offset 8\n"
    "    pushq %rsi; .cfi_adjust_cfa_offset 8\n"
    "    pushq %rdx; .cfi_adjust_cfa_offset 8\n"
    "    pushq %rcx; .cfi_adjust_cfa_offset 8\n"
    "    pushq %r8;  .cfi_adjust_cfa_offset 8\n"
    "    pushq %r9;  .cfi_adjust_cfa_offset 8\n"
    "    subq $8, %rsp; .cfi_adjust_cfa_offset 8\n"
    "    call find_next\n"
    "    addq $8, %rsp; .cfi_adjust_cfa_offset -8\n"
    "    popq %r9;  .cfi_adjust_cfa_offset -8\n"
    "    popq %r8;  .cfi_adjust_cfa_offset -8\n"
    "    popq %rcx; .cfi_adjust_cfa_offset -8\n"
    "    popq %rdx; .cfi_adjust_cfa_offset -8\n"
    "    popq %rsi; .cfi_adjust_cfa_offset -8\n"
    "    popq %rdi; .cfi_adjust_cfa_offset -8\n"
    "    jmp *%rax\n"
    "    .cfi_endproc\n"
    ".size syscall, . - syscall\n"

    ".hidden uc_syscall_raw\n"
    ".globl uc_syscall_raw\n"
    ".type uc_syscall_raw, @function\n"
    "uc_syscall_raw:\n"
    "    .cfi_startproc\n"
    "    endbr64\n"
    "    movq %rdi, %rax\n"
    "    movq %rsi, %rdi\n"
    "    movq %rdx, %rsi\n"
    "    movq %rcx, %rdx\n"
    "    movq %r8, %r10\n"
    "    movq %r9, %r8\n"
    "    movq 8(%rsp), %r9\n"
    "    syscall\n"
    "    cmpq $-4095, %rax\n"
    "    jae 1f\n"
    "    ret\n"
    "1:  movq %rax, %rdi\n"
    "    jmp raw_failed\n"
    "    .cfi_endproc\n"
    ".size uc_syscall_raw, . - uc_syscall_raw\n"
    ".popsection\n");
// clang-format on

#else

// All seven arguments are in registers: the compiler passes them on as they came. libc's prototype
// is another, so the name is given to the assembler.
UC_EXPORT long uc_syscall_shim(long number, long a, long b, long c, long d, long e,
                               long f) __asm__("syscall");

long uc_syscall_shim(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_getrandom)
        return draw(number, (void *)a, (size_t)b, (unsigned)c);
    if (uc_real_possible())
        uc_confined_notice(number, a, b, c);
    if (UC_REAL_READY(syscall))
        return uc_real.syscall(number, a, b, c, d, e, f);
    long r = uc_sys_call6(number, a, b, c, d, e, f);
    return r < 0 && r >= -4095 ? uc_real_result(r) : r;
}

#endif
