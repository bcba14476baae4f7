// SPDX-License-Identifier: MIT
// Runs the aarch64 stubs, on such a CPU or in an emulator: every action, every argument register,
// with and without a record of the thread, with the atomic instructions of ARMv8.1 and without;
// what is returned, what is changed in memory, which registers. Then the jumps. Built by
// tests/checks/aarch64.sh.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "stub_aarch64.h"

enum { REGISTERS = 16, ATOMICS = 1 << 8, PAGE = 4096, GUARDED = 0x10 };

struct record {
    uint64_t before, count, after;
};

static __thread struct record *own_record;
static unsigned enlisted;
static long enlisted_argument;
static unsigned done;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "stubs.c:%d: expected: %s\n", __LINE__, #condition);                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// x0 to x15 in, x0 to x15 out.
void call_stub(const void *code, uint64_t registers[REGISTERS]);
#define PAIRS(instruction)                                                                         \
    instruction " x0, x1, [x19]\n" instruction " x2, x3, [x19, 16]\n" instruction                  \
                " x4, x5, [x19, 32]\n" instruction " x6, x7, [x19, 48]\n" instruction              \
                " x8, x9, [x19, 64]\n" instruction " x10, x11, [x19, 80]\n" instruction            \
                " x12, x13, [x19, 96]\n" instruction " x14, x15, [x19, 112]\n"
__asm__(".text\n.globl call_stub\ncall_stub:\n"
        "stp x29, x30, [sp, -32]!\nstp x19, x20, [sp, 16]\n"
        "mov x20, x0\nmov x19, x1\n" PAIRS("ldp") "blr x20\n" PAIRS(
            "stp") "ldp x19, x20, [sp, 16]\nldp x29, x30, [sp], 32\nret\n");

// As hard on registers as C may be.
static void enlist(long argument)
{
    enlisted++;
    enlisted_argument = argument;
    __asm__ volatile("mov x0, 0\nmov x1, 0\nmov x2, 0\nmov x3, 0\nmov x4, 0\nmov x5, 0\n"
                     "mov x6, 0\nmov x7, 0\nmov x8, 0\nmov x9, 0\nmov x10, 0\nmov x11, 0\n"
                     "mov x12, 0\nmov x13, 0\nmov x14, 0\nmov x15, 0\nmov x16, 0\nmov x17, 0\n" ::
                         : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
                           "x12", "x13", "x14", "x15", "x16", "x17");
}

static struct uc_stub_count count_here(void)
{
    uintptr_t pointer;
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
    return (struct uc_stub_count){
        .record = (int32_t)((uintptr_t)&own_record - pointer),
        .in_record = offsetof(struct record, count),
        .enlist = enlist,
        .argument = 7,
    };
}

// Guarded where the kernel and the CPU can: a branch by register must then meet a landing.
static void make_code(uint8_t *page, size_t n)
{
    CHECK(mprotect(page, PAGE, PROT_READ | PROT_EXEC | GUARDED) == 0 ||
          mprotect(page, PAGE, PROT_READ | PROT_EXEC) == 0);
    __builtin___clear_cache((char *)page, (char *)page + n);
}

static uint8_t *map_code(const uint8_t *bytes, size_t n)
{
    uint8_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    memcpy(page, bytes, n);
    make_code(page, n);
    return page;
}

static uint64_t low(uint64_t v, unsigned width)
{
    return width == 8 ? v : (uint32_t)v;
}

static void check_call(const struct uc_action *a, const void *stub, struct record *record,
                       uint64_t amount)
{
    uint64_t memory[6] = {1, 2, 0xfffffffffffffff0U, 4, 5, 6};
    uint64_t wanted[6];
    uint64_t r[REGISTERS];
    memcpy(wanted, memory, sizeof wanted);
    for (unsigned i = 0; i < REGISTERS; i++)
        r[i] = 0xa5a5a5a500000000U + i;
    if (a->amount_is_argument)
        r[a->amount] = amount;
    r[a->address] = (uintptr_t)&memory[2] - (uintptr_t)a->offset;
    amount = a->amount_is_argument ? r[a->amount] : (uint64_t)a->amount;
    uint64_t old = low(memory[2], a->width);
    uint64_t now = a->operation == UC_ADD   ? old + amount
                   : a->operation == UC_SUB ? old - amount
                                            : old;
    memcpy(&wanted[2], &now, a->width);
    uint64_t kept[REGISTERS];
    memcpy(kept, r, sizeof kept);
    uint64_t before = record ? record->count : 0;
    own_record = record;
    enlisted = 0;
    call_stub(stub, r);
    CHECK(memcmp(memory, wanted, sizeof memory) == 0);
    CHECK(memcmp(r + 1, kept + 1, sizeof r - sizeof r[0]) == 0);
    CHECK(low(r[0], a->width) == (a->fetch ? old : low(now, a->width)));
    CHECK(enlisted == (record ? 0 : 1) && (record || enlisted_argument == 7));
    CHECK(!record || record->count == before + 1);
    done++;
}

static void check_action(const struct uc_action *a, bool lse)
{
    static const uint64_t amounts[] = {1, 0x123456789abcdef0U, UINT64_MAX};
    struct record record = {.before = 1, .count = 5, .after = 2};
    struct uc_stub_count count = count_here();
    uint8_t bytes[UC_AARCH64_STUB_MAX];
    size_t n = uc_aarch64_stub(bytes, a, &count, lse);
    CHECK(n <= sizeof bytes);
    uint8_t *stub = map_code(bytes, n);
    for (unsigned i = 0; i < 3; i++) {
        check_call(a, stub, &record, amounts[i]);
        check_call(a, stub, NULL, amounts[i]);
    }
    CHECK(record.before == 1 && record.after == 2);
    munmap(stub, PAGE);
}

static void check_all(bool lse)
{
    static const int32_t offsets[] = {0, 8, 0xff8, 0x1000, 0x12340, UC_SPEC_FARTHEST};
    static const int32_t amounts[] = {0, 1, 0xffff, 0x10000, INT32_MAX};
    for (unsigned operation = UC_ADD; operation <= UC_LOAD; operation++) {
        for (unsigned form = 0; form < 4 * UC_ARGUMENTS; form++) {
            struct uc_action a = {
                .operation = (uint8_t)operation,
                .width = form & 1 ? 8 : 4,
                .fetch = operation != UC_LOAD && form & 2,
                .address = (uint8_t)(form / 4),
                .amount = 1,
            };
            for (unsigned i = 0; i < 6; i++) {
                a.offset = offsets[i];
                check_action(&a, lse);
            }
            for (unsigned i = 0; i < 5 && operation != UC_LOAD; i++) {
                a.amount = amounts[i];
                check_action(&a, lse);
            }
            a.amount_is_argument = true;
            for (int i = 0; i < UC_ARGUMENTS && operation != UC_LOAD; i++) {
                a.amount = i;
                if (i != a.address)
                    check_action(&a, lse);
            }
        }
    }
}

// A landing, then the jump to a function that returns 42.
static void check_jump(uintptr_t distance, size_t length)
{
    static const uint32_t answer[] = {0xd503245f, 0x52800540, 0xd65f03c0}; // bti c; mov w0, 42; ret
    uint8_t *to = map_code((const uint8_t *)answer, sizeof answer);
    uint8_t *from = mmap(to - distance, PAGE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(from == to - distance);
    memcpy(from, answer, sizeof answer[0]);
    size_t landing = uc_aarch64_landing(from, PAGE);
    CHECK(landing == sizeof answer[0]);
    uint8_t *entry = from + landing;
    CHECK(uc_aarch64_jump(entry, (uintptr_t)entry, (uintptr_t)to) == length);
    make_code(from, landing + length);
    uint64_t r[REGISTERS] = {0};
    call_stub(from, r);
    CHECK(r[0] == 42);
    munmap(from, PAGE);
    munmap(to, PAGE);
}

int main(void)
{
    bool lse = getauxval(AT_HWCAP) & ATOMICS;
    check_all(false);
    if (lse)
        check_all(true);
    check_jump((uintptr_t)64 << 20, UC_AARCH64_NEAR);
    check_jump((uintptr_t)1 << 30, UC_AARCH64_PAGES);
    check_jump((uintptr_t)16 << 30, UC_AARCH64_FAR);
    printf("%u calls, %s\n", done, lse ? "both ways to add" : "exclusive loads and stores alone");
    return 0;
}
