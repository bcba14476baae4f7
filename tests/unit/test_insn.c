// SPDX-License-Identifier: MIT
// The instruction decoder: lengths, branch targets, memory operands, what it refuses; and that it
// reads nothing behind the bytes it was given.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "compiler.h"
#include "insn.h"

enum { NONE = INT32_MIN };

// kind, reference and displacement of instructions as two compilers and glibc's authors write them.
static const struct {
    const char *text;
    uint8_t length;
    uint8_t bytes[15];
    uint8_t kind;
    int32_t reference, displacement;
} rows[] = {
    {"nop", 1, {0x90}, UC_INSN_PLAIN, NONE, 0},
    {"push %rbp", 1, {0x55}, UC_INSN_PLAIN, NONE, 0},
    {"push %r12", 2, {0x41, 0x54}, UC_INSN_PLAIN, NONE, 0},
    {"endbr64", 4, {0xf3, 0x0f, 0x1e, 0xfa}, UC_INSN_PLAIN, NONE, 0},
    {"mov %rsp,%rbp", 3, {0x48, 0x89, 0xe5}, UC_INSN_PLAIN, NONE, 0},
    {"sub $8,%rsp", 4, {0x48, 0x83, 0xec, 0x08}, UC_INSN_PLAIN, NONE, 0},
    {"sub $0x108,%rsp", 7, {0x48, 0x81, 0xec, 8, 1, 0, 0}, UC_INSN_PLAIN, NONE, 0},
    {"addl $1,(%rsi)", 3, {0x83, 0x06, 0x01}, UC_INSN_PLAIN, NONE, 0},
    {"addq $1,0x60(%rbx)", 5, {0x48, 0x83, 0x43, 0x60, 0x01}, UC_INSN_PLAIN, NONE, 0x60},
    {"addl $1,0x118(%rdi)", 7, {0x83, 0x87, 0x18, 1, 0, 0, 1}, UC_INSN_PLAIN, NONE, 0x118},
    {"addw $0x102,(%rax)", 5, {0x66, 0x81, 0x00, 2, 1}, UC_INSN_PLAIN, NONE, 0},
    {"mov -8(%rsp,%rcx,4),%eax", 4, {0x8b, 0x44, 0x8c, 0xf8}, UC_INSN_PLAIN, NONE, -8},
    {"mov 0x10(,%rax,8),%rax", 8, {0x48, 0x8b, 0x04, 0xc5, 0x10}, UC_INSN_PLAIN, NONE, 0x10},
    {"lea 0x100(%rip),%rdi", 7, {0x48, 0x8d, 0x3d, 0, 1}, UC_INSN_PLAIN, 0x107, 0},
    {"addl $1,0x100(%rip)", 7, {0x83, 0x05, 0, 1, 0, 0, 1}, UC_INSN_PLAIN, 0x107, 0},
    {"mov %fs:0x28,%rax", 9, {0x64, 0x48, 0x8b, 0x04, 0x25, 0x28}, UC_INSN_PLAIN, NONE, 0x28},
    {"movabs $1,%rax", 10, {0x48, 0xb8, 1}, UC_INSN_PLAIN, NONE, 0},
    {"mov $1,%eax", 5, {0xb8, 1}, UC_INSN_PLAIN, NONE, 0},
    {"mov $1,%ax", 4, {0x66, 0xb8, 1}, UC_INSN_PLAIN, NONE, 0},
    {"movabs 0x1,%eax", 9, {0xa1, 1}, UC_INSN_PLAIN, NONE, 0},
    {"test $1,%dl", 3, {0xf6, 0xc2, 1}, UC_INSN_PLAIN, NONE, 0},
    {"not %dl", 2, {0xf6, 0xd2}, UC_INSN_PLAIN, NONE, 0},
    {"testl $1,4(%rdi)", 7, {0xf7, 0x47, 4, 1}, UC_INSN_PLAIN, NONE, 4},
    {"neg %rax", 3, {0x48, 0xf7, 0xd8}, UC_INSN_PLAIN, NONE, 0},
    {"enter $16,$0", 4, {0xc8, 16, 0, 0}, UC_INSN_PLAIN, NONE, 0},
    {"imul $3,(%rax),%eax", 3, {0x6b, 0x00, 3}, UC_INSN_PLAIN, NONE, 0},
    {"lock xadd %eax,(%r8)", 5, {0xf0, 0x41, 0x0f, 0xc1, 0x00}, UC_INSN_PLAIN, NONE, 0},
    {"rep stos %al,(%rdi)", 2, {0xf3, 0xaa}, UC_INSN_PLAIN, NONE, 0},
    {"nopw cs:0(%rax,%rax)", 10, {0x66, 0x2e, 0x0f, 0x1f, 0x84}, UC_INSN_PLAIN, NONE, 0},
    {"movdqu %xmm0,0x20(%rdi)", 5, {0xf3, 0x0f, 0x7f, 0x47, 0x20}, UC_INSN_PLAIN, NONE, 0x20},
    {"pshufd $0xe,%xmm0,%xmm1", 5, {0x66, 0x0f, 0x70, 0xc8, 0x0e}, UC_INSN_PLAIN, NONE, 0},
    {"palignr $8,%xmm0,%xmm1", 6, {0x66, 0x0f, 0x3a, 0x0f, 0xc8, 8}, UC_INSN_PLAIN, NONE, 0},
    {"vzeroupper", 3, {0xc5, 0xf8, 0x77}, UC_INSN_PLAIN, NONE, 0},
    {"vmovdqu %ymm0,(%rdi)", 4, {0xc5, 0xfe, 0x7f, 0x07}, UC_INSN_PLAIN, NONE, 0},
    {"vpbroadcastb %xmm0,%ymm0", 5, {0xc4, 0xe2, 0x7d, 0x78, 0xc0}, UC_INSN_PLAIN, NONE, 0},
    {"vperm2i128", 6, {0xc4, 0xe3, 0x7d, 0x46, 0xc1, 1}, UC_INSN_PLAIN, NONE, 0},
    {"vmovdqu64 %zmm0,(%rdi)", 6, {0x62, 0xf1, 0xfe, 0x48, 0x7f, 0x07}, UC_INSN_PLAIN, NONE, 0},
    {"vpcmpeqb evex imm", 7, {0x62, 0xf3, 0x7d, 0x48, 0x3f, 0xc1, 0}, UC_INSN_PLAIN, NONE, 0},
    {"je .+5", 2, {0x74, 0x03}, UC_INSN_BRANCH, 5, 0},
    {"jne .-2", 2, {0x75, 0xfc}, UC_INSN_BRANCH, -2, 0},
    {"je .+0x106", 6, {0x0f, 0x84, 0, 1}, UC_INSN_BRANCH, 0x106, 0},
    {"loop .", 2, {0xe2, 0xfe}, UC_INSN_BRANCH, 0, 0},
    {"jmp .+2", 2, {0xeb, 0x00}, UC_INSN_JUMP, 2, 0},
    {"jmp .+0x105", 5, {0xe9, 0, 1}, UC_INSN_JUMP, 0x105, 0},
    {"bnd jmp .+0x106", 6, {0xf2, 0xe9, 0, 1}, UC_INSN_JUMP, 0x106, 0},
    {"call .+0x105", 5, {0xe8, 0, 1}, UC_INSN_CALL, 0x105, 0},
    {"data16 rex.W call", 8, {0x66, 0x66, 0x48, 0xe8, 0, 1}, UC_INSN_CALL, 0x108, 0},
    {"call *0x100(%rip)", 6, {0xff, 0x15, 0, 1}, UC_INSN_CALL, 0x106, 0},
    {"call *%rax", 2, {0xff, 0xd0}, UC_INSN_CALL, NONE, 0},
    {"jmp *0x100(%rip)", 6, {0xff, 0x25, 0, 1}, UC_INSN_JUMP, 0x106, 0},
    {"notrack jmp *%rax", 3, {0x3e, 0xff, 0xe0}, UC_INSN_INDIRECT, NONE, 0},
    {"jmp *(,%rax,8)", 7, {0xff, 0x24, 0xc5}, UC_INSN_INDIRECT, NONE, 0},
    {"ret", 1, {0xc3}, UC_INSN_RETURN, NONE, 0},
    {"repz ret", 2, {0xf3, 0xc3}, UC_INSN_RETURN, NONE, 0},
    {"ret $8", 3, {0xc2, 8, 0}, UC_INSN_RETURN, NONE, 0},
    {"int3", 1, {0xcc}, UC_INSN_TRAP, NONE, 0},
    {"ud2", 2, {0x0f, 0x0b}, UC_INSN_TRAP, NONE, 0},
};

static void lengths_kinds_and_targets(void **state)
{
    (void)state;
    for (size_t i = 0; i < uc_countof(rows); i++) {
        struct uc_insn insn;
        if (uc_insn_decode(rows[i].bytes, sizeof rows[i].bytes, &insn) != 0)
            fail_msg("%s: refused", rows[i].text);
        if (insn.length != rows[i].length)
            fail_msg("%s: %d bytes, not %d", rows[i].text, insn.length, rows[i].length);
        if (insn.kind != rows[i].kind)
            fail_msg("%s: kind %d, not %d", rows[i].text, insn.kind, rows[i].kind);
        if (insn.refers != (rows[i].reference != NONE) ||
            (insn.refers && insn.reference != rows[i].reference))
            fail_msg("%s: refers to %d", rows[i].text, (int)insn.reference);
        if (insn.displacement != rows[i].displacement)
            fail_msg("%s: displacement %d", rows[i].text, insn.displacement);
    }
}

static void one_byte_less_is_no_instruction(void **state)
{
    (void)state;
    for (size_t i = 0; i < uc_countof(rows); i++) {
        struct uc_insn insn;
        for (size_t room = 0; room < rows[i].length; room++) {
            if (uc_insn_decode(rows[i].bytes, room, &insn) != -ENODATA)
                fail_msg("%s: taken with %zu bytes", rows[i].text, room);
        }
    }
}

static void what_is_not_known_is_refused(void **state)
{
    static const uint8_t bad[][15] = {
        {0x06},                         // push %es
        {0x9a},                         // far call
        {0xd5, 0x00},                   // REX2, of CPUs to come
        {0x0f, 0x04},                   // never defined
        {0x8f, 0xe8, 0x78, 0xa2},       // XOP
        {0xc7, 0xf8},                   // xbegin
        {0x66, 0xe8, 0, 0, 0, 0},       // call with 16 bits: AMD and Intel differ
        {0x48, 0xc5, 0xf8, 0x77},       // REX before VEX
        {0x62, 0xf4, 0x7c, 0x08, 0x01}, // EVEX map 4, of CPUs to come
        // Too long: fifteen bytes are the most.
        {0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66},
        {0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x48, 0x81, 0xec, 0x08},
    };
    (void)state;
    for (size_t i = 0; i < uc_countof(bad); i++) {
        uint8_t bytes[20] = {0};
        struct uc_insn insn;
        memcpy(bytes, bad[i], sizeof bad[i]);
        if (uc_insn_decode(bytes, sizeof bytes, &insn) != -EILSEQ)
            fail_msg("row %zu is taken for an instruction of %d bytes", i, insn.length);
    }
}

static void writers_are_told_from_readers(void **state)
{
    static const struct {
        bool writes;
        uint8_t bytes[8];
    } cases[] = {
        {true, {0x89, 0x07}},             // mov %eax,(%rdi)
        {false, {0x8b, 0x07}},            // mov (%rdi),%eax
        {true, {0x83, 0x07, 1}},          // addl $1,(%rdi)
        {false, {0x83, 0x3f, 1}},         // cmpl $1,(%rdi)
        {false, {0x83, 0xc0, 1}},         // add $1,%eax
        {true, {0xff, 0x07}},             // incl (%rdi)
        {false, {0xff, 0x37}},            // push (%rdi)
        {true, {0xc6, 0x07, 1}},          // movb $1,(%rdi)
        {false, {0x39, 0x07}},            // cmp %eax,(%rdi)
        {true, {0x01, 0x07}},             // add %eax,(%rdi)
        {false, {0x8d, 0x07}},            // lea (%rdi),%eax
        {true, {0x0f, 0x11, 0x07}},       // movups %xmm0,(%rdi)
        {false, {0x0f, 0xb6, 0x07}},      // movzbl (%rdi),%eax
        {false, {0x0f, 0x1f, 0x00}},      // nopl (%rax)
        {true, {0xf3, 0xaa}},             // rep stos
        {true, {0xf0, 0x0f, 0xc1, 0x07}}, // lock xadd %eax,(%rdi)
        {true, {0x0f, 0x94, 0x07}},       // sete (%rdi)
        {true, {0xa3, 0, 0, 0, 0, 0, 0}}, // movabs %eax,0
    };
    (void)state;
    for (size_t i = 0; i < uc_countof(cases); i++) {
        uint8_t bytes[16] = {0};
        struct uc_insn insn;
        memcpy(bytes, cases[i].bytes, sizeof cases[i].bytes);
        assert_int_equal(uc_insn_decode(bytes, sizeof bytes, &insn), 0);
        if (uc_insn_writes_memory(&insn) != cases[i].writes)
            fail_msg("case %zu", i);
    }
}

// Whatever the bytes, the decoder stays inside them: behind them is nothing.
static void any_bytes_are_safe(void **state)
{
    enum { ROUNDS = 300000, LONGEST = 20 };
    (void)state;
    uint8_t *pages =
        mmap(NULL, 2 * UC_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + UC_PAGE, UC_PAGE, PROT_NONE), 0);
    uint64_t random = 88172645463325252U;
    for (int round = 0; round < ROUNDS; round++) {
        struct uc_insn insn;
        size_t room = (size_t)round % (LONGEST + 1);
        uint8_t *code = pages + UC_PAGE - room;
        for (size_t i = 0; i < room; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            code[i] = (uint8_t)(random >> 24);
        }
        int r = uc_insn_decode(code, room, &insn);
        if (r == 0 && (insn.length == 0 || insn.length > room || insn.length > UC_INSN_LONGEST))
            fail_msg("an instruction of %d bytes in %zu", insn.length, room);
    }
    munmap(pages, 2 * UC_PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_kinds_and_targets),
        cmocka_unit_test(one_byte_less_is_no_instruction),
        cmocka_unit_test(what_is_not_known_is_refused),
        cmocka_unit_test(writers_are_told_from_readers),
        cmocka_unit_test(any_bytes_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
