// SPDX-License-Identifier: MIT
// The machine code of replacements, run: every action, every argument register, with and without a
// record of the thread; what it returns, what it changes in memory, and that it leaves all
// registers but rax as they were. The jumps that lead there, near and far.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "insn.h"
#include "patch.h"
#include "stub.h"

enum { ARG0, ARG5 = 5, RAX = 8, REGISTERS };

// rdi rsi rdx rcx r8 r9, as arguments are numbered, then r10, r11 and rax.
struct registers {
    uint64_t at[REGISTERS];
};

struct record {
    uint64_t before, count, after;
};

static __thread struct record *own_record;
static unsigned enlisted;
static long enlisted_argument;
static uint8_t *page;

// Calls code with these registers, and brings back what it leaves in them.
static void call(const void *code, struct registers *r)
{
    register const void *code12 __asm__("r12") = code;
    __asm__ volatile("mov %%rsp, %%r13\n"
                     "sub $128, %%rsp\n" // the red zone
                     "and $-16, %%rsp\n"
                     "mov 0(%%rbx), %%rdi\n"
                     "mov 8(%%rbx), %%rsi\n"
                     "mov 16(%%rbx), %%rdx\n"
                     "mov 24(%%rbx), %%rcx\n"
                     "mov 32(%%rbx), %%r8\n"
                     "mov 40(%%rbx), %%r9\n"
                     "mov 48(%%rbx), %%r10\n"
                     "mov 56(%%rbx), %%r11\n"
                     "call *%%r12\n"
                     "mov %%rdi, 0(%%rbx)\n"
                     "mov %%rsi, 8(%%rbx)\n"
                     "mov %%rdx, 16(%%rbx)\n"
                     "mov %%rcx, 24(%%rbx)\n"
                     "mov %%r8, 32(%%rbx)\n"
                     "mov %%r9, 40(%%rbx)\n"
                     "mov %%r10, 48(%%rbx)\n"
                     "mov %%r11, 56(%%rbx)\n"
                     "mov %%rax, 64(%%rbx)\n"
                     "mov %%r13, %%rsp\n"
                     :
                     : "b"(r), "r"(code12)
                     : "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11", "rax", "r13", "cc",
                       "memory");
}

// As hard on registers as C may be.
static void enlist(long argument)
{
    enlisted++;
    enlisted_argument = argument;
    uintptr_t stack;
    __asm__ volatile("mov %%rsp, %0\n"
                     "xor %%esi, %%esi\n xor %%edi, %%edi\n xor %%edx, %%edx\n xor %%ecx, %%ecx\n"
                     "xor %%r8d, %%r8d\n xor %%r9d, %%r9d\n xor %%r10d, %%r10d\n"
                     "xor %%r11d, %%r11d\n"
                     : "=r"(stack)
                     :
                     : "rsi", "rdi", "rdx", "rcx", "r8", "r9", "r10", "r11");
    // Vector code that the compiler aligns by the stack pointer would crash.
    volatile __attribute__((aligned(16))) uint8_t aligned[16];
    aligned[0] = 0;
    if ((uintptr_t)aligned % 16 != 0)
        enlisted += 1000;
}

static int32_t from_thread_pointer(const void *variable)
{
    uintptr_t pointer;
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
    return (int32_t)((uintptr_t)variable - pointer);
}

static struct uc_stub_count count_here(void)
{
    return (struct uc_stub_count){
        .record = from_thread_pointer(&own_record),
        .in_record = offsetof(struct record, count),
        .enlist = enlist,
        .argument = 7,
    };
}

static uint64_t low(uint64_t v, unsigned width)
{
    return width == 8 ? v : (uint32_t)v;
}

// One call of a stub, compared with what the action's words mean.
static void check_call(const struct uc_action *a, const void *stub, struct record *record)
{
    static const uint64_t amounts[] = {1, 0x123456789abcdef0U, UINT64_MAX};
    for (size_t n = 0; n < uc_countof(amounts); n++) {
        uint64_t memory[6] = {1, 2, 0xfffffffffffffff0U, 4, 5, 6};
        uint64_t wanted[6];
        memcpy(wanted, memory, sizeof wanted);
        uint8_t *field = (uint8_t *)&memory[2];
        struct registers r;
        for (int i = 0; i < REGISTERS; i++)
            r.at[i] = 0xa5a5a5a500000000U + (unsigned)i;
        if (a->amount_is_argument)
            r.at[a->amount] = amounts[n];
        r.at[a->address] = (uintptr_t)field - (uintptr_t)a->offset;
        uint64_t amount = a->amount_is_argument ? r.at[a->amount] : (uint64_t)a->amount;
        uint64_t old = low(memory[2], a->width);
        uint64_t now = a->operation == UC_ADD   ? old + amount
                       : a->operation == UC_SUB ? old - amount
                                                : old;
        memcpy(&wanted[2], &now, a->width);
        struct registers kept = r;
        enlisted = 0;
        own_record = record;
        struct record counted = record ? *record : (struct record){0};
        call(stub, &r);
        assert_memory_equal(memory, wanted, sizeof memory);
        assert_memory_equal(r.at, kept.at, RAX * sizeof r.at[0]);
        uint64_t returned = low(r.at[RAX], a->width);
        assert_true(returned == (a->fetch ? old : low(now, a->width)));
        assert_int_equal(enlisted, record ? 0 : 1);
        assert_int_equal(record ? record->count - counted.count : 1, 1);
    }
}

// A race would show it only when both CPUs are free.
static void check_locked(const struct uc_action *a, const uint8_t *stub, size_t n)
{
    struct uc_insn i;
    unsigned exchanges = 0;
    for (size_t at = 0; at < n; at += i.length) {
        assert_int_equal(uc_insn_decode(stub + at, n - at, &i), 0);
        if (i.map != UC_INSN_0F || i.opcode != 0xc1)
            continue;
        assert_true(i.lock);
        exchanges++;
    }
    assert_int_equal(exchanges, a->operation == UC_LOAD ? 0 : 1);
}

static void check_action(const struct uc_action *a)
{
    uint8_t stub[UC_STUB_MAX];
    struct uc_stub_count count = count_here();
    struct record record = {.count = UINT32_MAX};
    size_t n = uc_stub_write(stub, a, &count);
    assert_in_range(n, 1, UC_STUB_MAX);
    check_locked(a, stub, n);
    assert_int_equal(uc_patch_write(page, stub, n), 0);
    check_call(a, page, &record);
    check_call(a, page, NULL);
    assert_int_equal(enlisted_argument, 7);
    assert_int_equal(record.before, 0);
    assert_int_equal(record.after, 0);
}

static void every_action_does_what_it_says(void **state)
{
    (void)state;
    for (int form = 0; form < 10; form++) {
        struct uc_action a = {
            .operation = (uint8_t)(form < 4   ? UC_ADD
                                   : form < 8 ? UC_SUB
                                              : UC_LOAD),
            .width = form % 2 ? 4 : 8,
            .fetch = form < 8 && form / 2 % 2,
        };
        for (int address = ARG0; address <= ARG5; address++) {
            a.address = (uint8_t)address;
            a.offset = address * 64;
            a.amount_is_argument = false;
            for (a.amount = 0; a.amount < 3; a.amount++)
                check_action(&a);
            a.amount = INT32_MAX;
            check_action(&a);
            a.amount_is_argument = true;
            for (a.amount = ARG0; a.amount <= ARG5 && a.operation != UC_LOAD; a.amount++) {
                if (a.amount != address)
                    check_action(&a);
            }
        }
    }
}

static void stubs_begin_with_endbr64(void **state)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    (void)state;
    uint8_t stub[UC_STUB_MAX];
    struct uc_action a = {.operation = UC_ADD, .width = 4, .amount = 1};
    struct uc_stub_count count = count_here();
    (void)uc_stub_write(stub, &a, &count);
    assert_memory_equal(stub, endbr64, sizeof endbr64);
}

// A page that holds only a jump to the stub in `page`.
static void check_jump(uintptr_t near, size_t length)
{
    uint8_t jump[UC_STUB_FAR] = {0xcc};
    uint8_t stub[UC_STUB_MAX];
    struct uc_action a = {.operation = UC_ADD, .width = 8, .amount = 1};
    struct uc_stub_count count = count_here();
    assert_int_equal(uc_patch_write(page, stub, uc_stub_write(stub, &a, &count)), 0);
    uint8_t *from = uc_patch_page(near, jump, sizeof jump);
    assert_non_null(from);
    size_t n = uc_stub_jump(jump, (uintptr_t)from, (uintptr_t)page);
    assert_int_equal(n, length);
    assert_int_equal(uc_patch_write(from, jump, n), 0);
    struct record record = {0};
    check_call(&a, from, &record);
}

static void jumps_arrive_near_and_far(void **state)
{
    (void)state;
    check_jump((uintptr_t)page, UC_STUB_NEAR);
    check_jump((uintptr_t)page - ((uintptr_t)1 << 40), UC_STUB_FAR);
}

static void a_jump_reaches_just_so_far(void **state)
{
    (void)state;
    uint8_t jump[UC_STUB_FAR];
    uintptr_t from = (uintptr_t)1 << 40;
    uintptr_t most = from + UC_STUB_NEAR + INT32_MAX;
    uintptr_t least = from + UC_STUB_NEAR + (uintptr_t)(int64_t)INT32_MIN;
    assert_int_equal(uc_stub_jump(jump, from, most), UC_STUB_NEAR);
    assert_int_equal(uc_stub_jump(jump, from, most + 1), UC_STUB_FAR);
    assert_int_equal(uc_stub_jump(jump, from, least), UC_STUB_NEAR);
    assert_int_equal(uc_stub_jump(jump, from, least - 1), UC_STUB_FAR);
}

static int map_page(void **state)
{
    static const uint8_t trap = 0xcc;
    (void)state;
    if (uc_patch_start() < 0)
        return -1;
    page = uc_patch_page((uintptr_t)&map_page, &trap, 1);
    return page ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_action_does_what_it_says),
        cmocka_unit_test(stubs_begin_with_endbr64),
        cmocka_unit_test(jumps_arrive_near_and_far),
        cmocka_unit_test(a_jump_reaches_just_so_far),
    };
    return cmocka_run_group_tests(tests, map_page, NULL);
}
