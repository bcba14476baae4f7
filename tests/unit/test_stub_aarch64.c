// SPDX-License-Identifier: MIT
// The aarch64 stubs and jumps, word by word, against what the GNU assembler makes of the text
// beside them. tests/aarch64/stubs.c runs them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "stub_aarch64.h"

// Of add64(arg0+0x12348), for a CPU with ARMv8.1's atomic instructions.
static const uint32_t whole[] = {
    0xd503245f, // bti c
    0xd53bd050, // mrs x16, tpidr_el0
    0x529ffd11, // mov w17, #0xffe8 // #65512
    0x72bffff1, // movk w17, #0xffff, lsl #16
    0xf871ca10, // ldr x16, [x16, w17, sxtw]
    0xb4000150, // cbz x16, 3c
    0xf9400e11, // ldr x17, [x16, #24]
    0x91000631, // add x17, x17, #0x1
    0xf9000e11, // str x17, [x16, #24]
    0x91404810, // add x16, x0, #0x12, lsl #12
    0x910d2210, // add x16, x16, #0x348
    0x52800031, // mov w17, #0x1 // #1
    0xf8f10200, // ldaddal x17, x0, [x16]
    0x8b110000, // add x0, x0, x17
    0xd65f03c0, // ret
    0xa9bf7bfd, // stp x29, x30, [sp, #-16]!
    0xa9bf07e0, // stp x0, x1, [sp, #-16]!
    0xa9bf0fe2, // stp x2, x3, [sp, #-16]!
    0xa9bf17e4, // stp x4, x5, [sp, #-16]!
    0xa9bf1fe6, // stp x6, x7, [sp, #-16]!
    0xa9bf27e8, // stp x8, x9, [sp, #-16]!
    0xa9bf2fea, // stp x10, x11, [sp, #-16]!
    0xa9bf37ec, // stp x12, x13, [sp, #-16]!
    0xa9bf3fee, // stp x14, x15, [sp, #-16]!
    0x528000e0, // mov w0, #0x7 // #7
    0x58000190, // ldr x16, 94
    0xd63f0200, // blr x16
    0xa8c13fee, // ldp x14, x15, [sp], #16
    0xa8c137ec, // ldp x12, x13, [sp], #16
    0xa8c12fea, // ldp x10, x11, [sp], #16
    0xa8c127e8, // ldp x8, x9, [sp], #16
    0xa8c11fe6, // ldp x6, x7, [sp], #16
    0xa8c117e4, // ldp x4, x5, [sp], #16
    0xa8c10fe2, // ldp x2, x3, [sp], #16
    0xa8c107e0, // ldp x0, x1, [sp], #16
    0xa8c17bfd, // ldp x29, x30, [sp], #16
    0x17ffffe5, // b 24
    0x9abcdef0, // .word 0x9abcdef0
    0x12345678, // .word 0x12345678
};

// The action's part of others: it begins behind the counting. Two without those instructions, two
// with them.
static const uint32_t part_fetch_sub32[] = {
    0x91000070, // add x16, x3, #0x0
    0x2a0203f1, // mov w17, w2
    0xa9bf2be9, // stp x9, x10, [sp, #-16]!
    0x885ffe09, // ldaxr w9, [x16]
    0x4b11012a, // sub w10, w9, w17
    0x8800fe0a, // stlxr w0, w10, [x16]
    0x35ffffa0, // cbnz w0, a8
    0x2a0903e0, // mov w0, w9
    0xa8c12be9, // ldp x9, x10, [sp], #16
    0xd65f03c0, // ret
};
static const uint32_t part_sub64[] = {
    0x910020b0, // add x16, x5, #0x8
    0x528468b1, // mov w17, #0x2345 // #9029
    0x72a00031, // movk w17, #0x1, lsl #16
    0xcb1103f1, // neg x17, x17
    0xf8f10200, // ldaddal x17, x0, [x16]
    0x8b110000, // add x0, x0, x17
    0xd65f03c0, // ret
};
static const uint32_t part_load32[] = {
    0x91001030, // add x16, x1, #0x4
    0x88dffe00, // ldar w0, [x16]
    0xd65f03c0, // ret
};
static const uint32_t part_add32[] = {
    0x91000010, // add x16, x0, #0x0
    0x52800031, // mov w17, #0x1 // #1
    0xa9bf2be9, // stp x9, x10, [sp, #-16]!
    0x885ffe09, // ldaxr w9, [x16]
    0x0b11012a, // add w10, w9, w17
    0x8800fe0a, // stlxr w0, w10, [x16]
    0x35ffffa0, // cbnz w0, f8
    0x2a0a03e0, // mov w0, w10
    0xa8c12be9, // ldp x9, x10, [sp], #16
    0xd65f03c0, // ret
};

static const struct uc_stub_count count = {
    .record = -24,
    .in_record = 24,
    .enlist = (void (*)(long))0x123456789abcdef0, // NOLINT(performance-no-int-to-ptr)
    .argument = 7,
};
enum { COUNTING = 9 }; // words

static void the_whole_is_as_assembled(void **state)
{
    (void)state;
    static const struct uc_action a = {UC_ADD, 8, false, 0, false, 0x12348, 1};
    uint8_t out[UC_AARCH64_STUB_MAX];
    assert_int_equal(uc_aarch64_stub(out, &a, &count, true), sizeof whole);
    assert_memory_equal(out, whole, sizeof whole);
}

static void actions_are_as_assembled(void **state)
{
    (void)state;
    static const struct {
        struct uc_action action;
        bool lse;
        const uint32_t *words;
        size_t size;
    } rows[] = {
        {{UC_SUB, 4, true, 3, true, 0, 2}, false, part_fetch_sub32, sizeof part_fetch_sub32},
        {{UC_SUB, 8, false, 5, false, 8, 0x12345}, true, part_sub64, sizeof part_sub64},
        {{UC_LOAD, 4, false, 1, false, 4, 1}, true, part_load32, sizeof part_load32},
        {{UC_ADD, 4, false, 0, false, 0, 1}, false, part_add32, sizeof part_add32},
    };
    for (size_t i = 0; i < uc_countof(rows); i++) {
        uint32_t out[UC_AARCH64_STUB_MAX / sizeof(uint32_t)];
        size_t n = uc_aarch64_stub((uint8_t *)out, &rows[i].action, &count, rows[i].lse);
        assert_in_range(n, COUNTING * sizeof out[0] + rows[i].size, sizeof out);
        assert_memory_equal(out + COUNTING, rows[i].words, rows[i].size);
    }
}

static void every_stub_fits(void **state)
{
    (void)state;
    struct uc_stub_count most = count;
    most.argument = 0x12345;
    most.in_record = 32760;
    for (unsigned form = 0; form < 3 * 2 * 2 * 2; form++) {
        struct uc_action a = {
            (uint8_t)(form / 8),   form & 1 ? 8 : 4, form & 2, 0, form & 4, 0x8ff8,
            form & 4 ? 1 : 0x12345};
        uint8_t out[UC_AARCH64_STUB_MAX + 4] = {0};
        memset(out + UC_AARCH64_STUB_MAX, 0xcc, 4);
        assert_in_range(uc_aarch64_stub(out, &a, &most, form & 1), 64, UC_AARCH64_STUB_MAX);
        assert_int_equal(out[UC_AARCH64_STUB_MAX], 0xcc);
    }
}

static void check_jump(uintptr_t from, uintptr_t to, const uint32_t *words, size_t n)
{
    uint32_t out[UC_AARCH64_FAR / sizeof(uint32_t)];
    assert_int_equal(uc_aarch64_jump((uint8_t *)out, from, to), n);
    assert_memory_equal(out, words, n);
}

static void jumps_reach_what_they_can(void **state)
{
    (void)state;
    static const uintptr_t from = 0x400000001004;
    // The farthest of each kind: b, adrp and add, ldr of the address behind.
    static const uint32_t ahead[] = {0x15ffffff}, back[] = {0x16000000};
    static const uint32_t page_ahead[] = {0xf07ffff0, 0x913ff210, 0xd61f0200};
    static const uint32_t page_back[] = {0x90800010, 0x91000210, 0xd61f0200};
    static const uint32_t far_ahead[] = {0x58000050, 0xd61f0200, 0x00001000, 0x00004001};
    static const uint32_t far_back[] = {0x58000050, 0xd61f0200, 0x00000ffc, 0x00003fff};
    check_jump(from, from + (128 << 20) - 4, ahead, sizeof ahead);
    check_jump(from, from - (128 << 20), back, sizeof back);
    check_jump(from, 0x400100000ffc, page_ahead, sizeof page_ahead);
    check_jump(from, 0x3fff00001000, page_back, sizeof page_back);
    check_jump(from, 0x400100001000, far_ahead, sizeof far_ahead);
    check_jump(from, 0x3fff00000ffc, far_back, sizeof far_back);
}

static void landings_are_known(void **state)
{
    (void)state;
    static const uint8_t bti_c[] = {0x5f, 0x24, 0x03, 0xd5}, bti_jc[] = {0xdf, 0x24, 0x03, 0xd5};
    static const uint8_t bti_j[] = {0x9f, 0x24, 0x03, 0xd5}, paciasp[] = {0x3f, 0x23, 0x03, 0xd5};
    assert_int_equal(uc_aarch64_landing(bti_c, sizeof bti_c), 4);
    assert_int_equal(uc_aarch64_landing(bti_jc, sizeof bti_jc), 4);
    assert_int_equal(uc_aarch64_landing(bti_c, 3), 0);
    assert_int_equal(uc_aarch64_landing(bti_j, sizeof bti_j), 0);
    assert_int_equal(uc_aarch64_landing(paciasp, sizeof paciasp), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_is_as_assembled), cmocka_unit_test(actions_are_as_assembled),
        cmocka_unit_test(every_stub_fits),           cmocka_unit_test(jumps_reach_what_they_can),
        cmocka_unit_test(landings_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
