// SPDX-License-Identifier: MIT
// The odd functions, x86-64. What has to be exact to the byte is written in assembly.
#include "odd.h"

#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define API    __attribute__((visibility("default")))

#define ASM_FUNCTION(name, body)                                                                   \
    __asm__(".text\n.hidden " #name "\n.globl " #name "\n.type " #name ",@function\n" #name        \
            ":\n" body "\n.size " #name ", .-" #name "\n")

// The usual shape: lock, add, unlock.
#define LOCKED_BODY(offset)                                                                        \
    "    push %rbx\n"                                                                              \
    "    mov %rdi, %rbx\n"                                                                         \
    "    lea 0x20(%rbx), %rdi\n"                                                                   \
    "    call pthread_rwlock_wrlock@PLT\n"                                                         \
    "    addq $1, " offset "(%rbx)\n"                                                              \
    "    lea 0x20(%rbx), %rdi\n"                                                                   \
    "    call pthread_rwlock_unlock@PLT\n"                                                         \
    "    pop %rbx\n"                                                                               \
    "    ret\n"

// Four bytes: a jump takes five.
ASM_FUNCTION(odd_short, "    incl 0x58(%rdi)\n    ret");

// A loop whose head is the second instruction.
ASM_FUNCTION(odd_loop, "    push %rbx\n"
                       "1:  mov %rdi, %rbx\n"
                       "    incq 0x58(%rbx)\n"
                       "    cmpq $0, 0x58(%rbx)\n"
                       "    je 1b\n"
                       "    pop %rbx\n"
                       "    ret");

ASM_FUNCTION(odd_atomic, "    lock incq 0x58(%rdi)\n    ret");

// Begins with a jump, as if somebody had been here before.
ASM_FUNCTION(odd_hooked,
             "    .byte 0xe9\n    .long 1f - .- 4\n    nopl 0(%rax)\n1:\n" LOCKED_BODY("0x58"));

// A jump through a register: where to is not to be seen.
ASM_FUNCTION(odd_computed, "    incq 0x58(%rdi)\n"
                           "    lea 1f(%rip), %rax\n"
                           "    jmp *%rax\n"
                           "1:  ret");

// vpcmov, of an instruction set that no CPU has any more: not known to the decoder, never reached.
ASM_FUNCTION(odd_unknown,
             "    incq 0x58(%rdi)\n    ret\n    .byte 0x8f, 0xe8, 0x78, 0xa2, 0xc1, 0x10");

// Entered a second time in the middle of its first instruction.
ASM_FUNCTION(odd_inside, "    .byte 0x66\n"
                         ".hidden odd_second\n.globl odd_second\n.type odd_second,@function\n"
                         "odd_second:\n"
                         "    nop\n" LOCKED_BODY("0x58") ".size odd_second, .-odd_second\n");

// No size in the symbol table.
__asm__(".text\n.hidden odd_unsized\n.globl odd_unsized\n.type odd_unsized,@function\n"
        "odd_unsized:\n" LOCKED_BODY("0x58"));

// Locks, unlocks, and adds when nobody is kept out any more.
ASM_FUNCTION(odd_after, "    push %rbx\n"
                        "    mov %rdi, %rbx\n"
                        "    lea 0x20(%rbx), %rdi\n"
                        "    call pthread_rwlock_wrlock@PLT\n"
                        "    lea 0x20(%rbx), %rdi\n"
                        "    call pthread_rwlock_unlock@PLT\n"
                        "    addq $1, 0x58(%rbx)\n"
                        "    pop %rbx\n"
                        "    ret");

// Can be replaced: the first five bytes lie on two pages.
__asm__(".text\n.balign 4096\n.skip 4094, 0xcc\n");
ASM_FUNCTION(odd_two_pages, LOCKED_BODY("0x68"));

// Can be replaced: calls through slots instead of the PLT, as with -fno-plt.
ASM_FUNCTION(odd_slots, "    push %rbx\n"
                        "    mov %rdi, %rbx\n"
                        "    lea 0x20(%rbx), %rdi\n"
                        "    call *pthread_rwlock_wrlock@GOTPCREL(%rip)\n"
                        "    addq $1, 0x58(%rbx)\n"
                        "    lea 0x20(%rbx), %rdi\n"
                        "    pop %rbx\n"
                        "    jmp *pthread_rwlock_unlock@GOTPCREL(%rip)");

HIDDEN void odd_short(struct odd_state *);
HIDDEN void odd_loop(struct odd_state *);
HIDDEN void odd_atomic(struct odd_state *);
HIDDEN void odd_hooked(struct odd_state *);
HIDDEN void odd_computed(struct odd_state *);
HIDDEN void odd_unknown(struct odd_state *);
HIDDEN void odd_inside(struct odd_state *);
HIDDEN void odd_second(struct odd_state *);
HIDDEN void odd_after(struct odd_state *);
HIDDEN void odd_unsized(struct odd_state *);
HIDDEN void odd_two_pages(struct odd_state *);
HIDDEN void odd_slots(struct odd_state *);

__attribute__((used)) static void (*choose_at_run_time(void))(struct odd_state *)
{
    return odd_unsized;
}
HIDDEN void odd_ifunc(struct odd_state *) __attribute__((ifunc("choose_at_run_time")));

// Exported, so that another tool can find it.
API void odd_exported(struct odd_state *s);
API void odd_exported(struct odd_state *s)
{
    pthread_rwlock_wrlock(&s->lock);
    s->shown++;
    pthread_rwlock_unlock(&s->lock);
}

// Not a function.
API uint64_t odd_data[2];

// With one constant argument in all its callers: the compiler makes a clone, and this name is gone.
static __attribute__((noinline)) void odd_cloned(struct odd_state *s, uint64_t by)
{
    pthread_rwlock_wrlock(&s->lock);
    s->count += by;
    s->other += by * by;
    pthread_rwlock_unlock(&s->lock);
}

static void call_cloned(struct odd_state *s)
{
    odd_cloned(s, 1);
}

static const struct {
    const char *name;
    void (*fn)(struct odd_state *);
} functions[] = {
    {"odd_short", odd_short},         {"odd_loop", odd_loop},
    {"odd_atomic", odd_atomic},       {"odd_hooked", odd_hooked},
    {"odd_computed", odd_computed},   {"odd_unknown", odd_unknown},
    {"odd_inside", odd_inside},       {"odd_unsized", odd_unsized},
    {"odd_two_pages", odd_two_pages}, {"odd_slots", odd_slots},
    {"odd_ifunc", odd_ifunc},         {"odd_cloned", call_cloned},
    {"odd_exported", odd_exported},   {"odd_after", odd_after},
};

API int odd_call(const char *name, struct odd_state *s, uint64_t n)
{
    for (unsigned i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, name) != 0)
            continue;
        for (uint64_t k = 0; k < n; k++)
            functions[i].fn(s);
        return 0;
    }
    return -1;
}
