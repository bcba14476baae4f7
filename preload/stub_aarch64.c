// SPDX-License-Identifier: MIT
// Owns the words. What proves a function's code knows x86-64 alone, so on aarch64 nothing asks for
// a stub yet, and uc_stub_possible says so.
#include "stub_aarch64.h"

#include <string.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "poison.h"

enum { X0 = 0, X9 = 9, X10 = 10, X16 = 16, X17 = 17, SP = 31 };

static const uint32_t bti_c = 0xd503245f;
static const uint32_t bti_jc = 0xd50324df;

struct code {
    uint8_t *at;
    size_t n;
};

static void word(struct code *c, uint32_t w)
{
    memcpy(c->at + c->n, &w, sizeof w);
    c->n += sizeof w;
}

// The bit that makes an instruction one of 64 bits.
static uint32_t wide(const struct uc_action *a)
{
    return a->width == 8 ? 1U << 31 : 0;
}

// movz, movk: 32 bits, the upper half of the register is cleared.
static void move_number(struct code *c, unsigned to, uint32_t n)
{
    word(c, 0x52800000 | (n & 0xffff) << 5 | to);
    if (n >> 16)
        word(c, 0x72a00000 | (n >> 16) << 5 | to);
}

// x16 = the counter's address.
static void move_address(struct code *c, const struct uc_action *a)
{
    uint32_t low = (uint32_t)a->offset & 0xfff;
    uint32_t high = (uint32_t)a->offset >> 12;
    unsigned from = a->address;
    if (high) {
        word(c, 0x91400000 | high << 10 | from << 5 | X16); // add x16, from, high, lsl 12
        from = X16;
    }
    if (low || !high)
        word(c, 0x91000000 | low << 10 | from << 5 | X16); // add x16, from, low
}

static void move_amount(struct code *c, const struct uc_action *a)
{
    if (a->amount_is_argument)
        word(c, 0x2a0003e0 | wide(a) | (uint32_t)a->amount << 16 | X17); // mov x17, argument
    else
        move_number(c, X17, (uint32_t)a->amount);
}

static void act_lse(struct code *c, const struct uc_action *a)
{
    if (a->operation == UC_SUB)
        word(c, 0x4b0003e0 | wide(a) | X17 << 16 | X17); // neg x17, x17
    // ldaddal x17, x0, [x16]
    word(c, (a->width == 8 ? 0xf8e00000 : 0xb8e00000) | X17 << 16 | X16 << 5 | X0);
    if (!a->fetch)
        word(c, 0x0b000000 | wide(a) | X17 << 16 | X0 << 5 | X0); // add x0, x0, x17
}

// A loop of load and store exclusive. By now the address and the amount have left the arguments'
// registers, so w0 can take the store's answer.
static void act_exclusive(struct code *c, const struct uc_action *a)
{
    uint32_t size = a->width == 8 ? 0xc8000000 : 0x88000000;
    uint32_t operation = a->operation == UC_SUB ? 0x4b000000 : 0x0b000000;
    word(c, 0xa9bf2be9); // stp x9, x10, [sp, -16]!
    size_t again = c->n;
    word(c, size | 0x5ffc00 | X16 << 5 | X9);                         // ldaxr x9, [x16]
    word(c, operation | wide(a) | X17 << 16 | X9 << 5 | X10);         // add or sub x10, x9, x17
    word(c, size | X0 << 16 | 0xfc00 | X16 << 5 | X10);               // stlxr w0, x10, [x16]
    uint32_t back = (uint32_t)(-(int64_t)(c->n - again) / 4);         // in words
    word(c, 0x35000000 | (back & 0x7ffff) << 5 | X0);                 // cbnz w0, again
    word(c, 0x2a0003e0 | wide(a) | (a->fetch ? X9 : X10) << 16 | X0); // mov x0, old or new
    word(c, 0xa8c12be9);                                              // ldp x9, x10, [sp], 16
}

static void act(struct code *c, const struct uc_action *a, bool lse)
{
    move_address(c, a);
    if (a->operation == UC_LOAD) {
        word(c, (a->width == 8 ? 0xc8dffc00 : 0x88dffc00) | X16 << 5 | X0); // ldar x0, [x16]
    } else {
        move_amount(c, a);
        (lse ? act_lse : act_exclusive)(c, a);
    }
    word(c, 0xd65f03c0); // ret
}

// The thread has no record: a C function makes one, or counts elsewhere. x0 to x15 are kept, and
// where to return to.
static void enlist(struct code *c, const struct uc_stub_count *count, size_t back)
{
    word(c, 0xa9bf7bfd); // stp x29, x30, [sp, -16]!
    for (unsigned r = X0; r < X16; r += 2)
        word(c, 0xa9bf0000 | (r + 1) << 10 | SP << 5 | r); // stp xr, xr+1, [sp, -16]!
    move_number(c, X0, (uint32_t)count->argument);
    uint32_t literal = X16 / 2 + 4;           // words from here, behind the branch back
    word(c, 0x58000000 | literal << 5 | X16); // ldr x16, literal
    word(c, 0xd63f0200);                      // blr x16
    for (unsigned r = X16; r > X0; r -= 2)
        word(c, 0xa8c10000 | (r - 1) << 10 | SP << 5 | (r - 2)); // ldp
    word(c, 0xa8c17bfd);                                         // ldp x29, x30, [sp], 16
    uint32_t distance = (uint32_t)(((int64_t)back - (int64_t)c->n) / 4);
    word(c, 0x14000000 | (distance & 0x3ffffff)); // b back
    uint64_t to = (uintptr_t)count->enlist;
    word(c, (uint32_t)to);
    word(c, (uint32_t)(to >> 32));
}

size_t uc_aarch64_stub(uint8_t out[UC_AARCH64_STUB_MAX], const struct uc_action *a,
                       const struct uc_stub_count *count, bool lse)
{
    struct code c = {.at = out};
    word(&c, bti_c);
    word(&c, 0xd53bd050); // mrs x16, tpidr_el0
    move_number(&c, X17, (uint32_t)count->record);
    word(&c, 0xf871ca10); // ldr x16, [x16, w17, sxtw]
    size_t branch = c.n;
    word(&c, 0); // cbz x16, enlist
    uint32_t field = (uint32_t)count->in_record / 8;
    word(&c, 0xf9400000 | field << 10 | X16 << 5 | X17); // ldr x17, [x16, in_record]
    word(&c, 0x91000400 | X17 << 5 | X17);               // add x17, x17, 1
    word(&c, 0xf9000000 | field << 10 | X16 << 5 | X17); // str x17, [x16, in_record]
    size_t counted = c.n;
    act(&c, a, lse);
    uint32_t to_enlist = 0xb4000000 | (uint32_t)(c.n - branch) / 4 << 5 | X16;
    memcpy(out + branch, &to_enlist, sizeof to_enlist);
    enlist(&c, count, counted);
    return c.n;
}

static bool reaches(int64_t distance, unsigned bits)
{
    int64_t most = (int64_t)1 << (bits - 1);
    return distance >= -most && distance < most;
}

size_t uc_aarch64_jump(uint8_t out[UC_AARCH64_FAR], uintptr_t from, uintptr_t to)
{
    struct code c = {.at = out};
    int64_t distance = (int64_t)(to - from);
    int64_t pages = (int64_t)(to >> 12) - (int64_t)(from >> 12);
    if (reaches(distance, 28)) {
        word(&c, 0x14000000 | ((uint32_t)(distance >> 2) & 0x3ffffff)); // b
    } else if (reaches(pages, 21)) {
        uint32_t p = (uint32_t)pages;
        word(&c, 0x90000000 | (p & 3) << 29 | (p >> 2 & 0x7ffff) << 5 | X16); // adrp x16, page
        word(&c, 0x91000000 | ((uint32_t)to & 0xfff) << 10 | X16 << 5 | X16); // add x16, x16, rest
        word(&c, 0xd61f0200);                                                 // br x16
    } else {
        word(&c, 0x58000050); // ldr x16, 8
        word(&c, 0xd61f0200); // br x16
        word(&c, (uint32_t)to);
        word(&c, (uint32_t)((uint64_t)to >> 32));
    }
    return c.n;
}

size_t uc_aarch64_landing(const uint8_t *code, size_t n)
{
    uint32_t first;
    if (n < sizeof first)
        return 0;
    memcpy(&first, code, sizeof first);
    return first == bti_c || first == bti_jc ? sizeof first : 0;
}

#if defined(__aarch64__)
bool uc_stub_possible(void)
{
    return false; // see above
}

size_t uc_stub_write(uint8_t out[UC_STUB_MAX], const struct uc_action *a,
                     const struct uc_stub_count *c)
{
    enum { HAS_ATOMICS = 1 << 8 }; // HWCAP_ATOMICS
    return uc_aarch64_stub(out, a, c, getauxval(AT_HWCAP) & HAS_ATOMICS);
}

size_t uc_stub_jump(uint8_t out[UC_STUB_FAR], uintptr_t from, uintptr_t to)
{
    return uc_aarch64_jump(out, from, to);
}
#endif
