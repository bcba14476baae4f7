// SPDX-License-Identifier: MIT
// The proof on a function's bytes: what is accepted, where the jump goes, each refusal, and rivals
// for the same counter. The functions are written in assembly and never run.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "trace.h"

// Everything in one run of text, so that calls between them are relative.
#define FUNCTION(name, body) "begin_" #name ":\n" body "\nend_" #name ":\n .balign 16, 0x90\n"

#define LOCK   "lea 0x20(%rbx), %rdi\n call stand_in_lock\n"
#define UNLOCK "lea 0x20(%rbx), %rdi\n call stand_in_unlock\n"
#define ENTER  "push %rbx\n mov %rdi, %rbx\n"
#define LEAVE  "pop %rbx\n ret"

__asm__(
    ".text\n .balign 16\n stand_in_text:\n"
    "stand_in_lock: ret\n stand_in_unlock: ret\n stand_in_other: ret\n .balign 16\n"
    // clang-format off
    FUNCTION(plain, ENTER LOCK "addq $1, 0x60(%rbx)\n" UNLOCK LEAVE)
    FUNCTION(endbr, "endbr64\n" ENTER LOCK "incl 0x58(%rbx)\n" UNLOCK LEAVE)
    FUNCTION(tail, ENTER "push %rbp\n mov %rsi, %rbp\n" LOCK
                   "mov 0x68(%rbx), %rax\n add %rbp, %rax\n mov %rax, 0x68(%rbx)\n"
                   "lea 0x20(%rbx), %rdi\n pop %rbp\n pop %rbx\n jmp stand_in_unlock")
    FUNCTION(pointer, ENTER "lea 0x70(%rdi), %rbx\n call stand_in_lock\n addl $1, (%rbx)\n"
                      "call stand_in_unlock\n" LEAVE)
    FUNCTION(frame, "push %rbp\n mov %rsp, %rbp\n mov %rdi, -0x18(%rbp)\n call stand_in_lock\n"
                    "mov -0x18(%rbp), %rax\n mov 0x78(%rax), %rax\n lea 1(%rax), %rdx\n"
                    "mov -0x18(%rbp), %rax\n mov %rdx, 0x78(%rax)\n call stand_in_unlock\n leave\n ret")
    FUNCTION(load, ENTER LOCK "mov 0x60(%rbx), %rbx\n" UNLOCK "mov %rbx, %rax\n" LEAVE)
    FUNCTION(two_fields, ENTER LOCK "incq 0x80(%rbx)\n incq 0x88(%rbx)\n" UNLOCK LEAVE)
    FUNCTION(sets, ENTER LOCK "movq $0, 0x80(%rbx)\n" UNLOCK LEAVE)
    FUNCTION(calls_once, ENTER LOCK "incq 0x90(%rbx)\n" LEAVE)
    FUNCTION(calls_more, ENTER LOCK "incq 0x98(%rbx)\n call stand_in_other\n" UNLOCK LEAVE)
    FUNCTION(no_calls, "incq 0xa0(%rdi)\n ret")
    FUNCTION(function_pointer, ENTER LOCK "incq 0xa8(%rbx)\n call *%rax\n" UNLOCK LEAVE)
    // A second function for the counter of `plain`, and one for another.
    FUNCTION(rival, ENTER LOCK "subq $1, 0x60(%rbx)\n" UNLOCK LEAVE)
    FUNCTION(bystander, ENTER LOCK "subq $1, 0xb0(%rbx)\n" UNLOCK LEAVE)
    // Inlined, in the middle of something else, the fields of another width.
    FUNCTION(caller, "test %esi, %esi\n je 1f\n lea 0x20(%rdi), %rdi\n call stand_in_lock\n"
                     "addl $1, 0x58(%rbx)\n mov %rbx, %rdi\n call stand_in_unlock\n 1: ret")
    // As AWS-LC's: under the lock, or under the caller's.
    FUNCTION(both_ways, "test %dl, %dl\n jne 1f\n addl $1, 0xb8(%rdi)\n ret\n 1:\n" ENTER LOCK
                        "addl $1, 0xb8(%rbx)\n" UNLOCK LEAVE)
    FUNCTION(far_saturates, ENTER LOCK "mov 0x1b0(%rbx), %rax\n cmp $100, %rax\n"
                            ".byte 0x0f, 0x83\n .long 1f - . - 4\n"
                            "add $1, %rax\n mov %rax, 0x1b0(%rbx)\n 1:\n" UNLOCK LEAVE)
    FUNCTION(saturates, ENTER LOCK "mov 0xc0(%rbx), %rax\n cmp $100, %rax\n jae 1f\n"
                        "add $1, %rax\n mov %rax, 0xc0(%rbx)\n 1:\n" UNLOCK LEAVE)
    FUNCTION(twice, ENTER LOCK "incq 0xc8(%rbx)\n test %esi, %esi\n je 1f\n"
                    "incq 0xc8(%rbx)\n 1:\n" UNLOCK LEAVE)
    FUNCTION(after_unlock, ENTER LOCK UNLOCK "incq 0xd0(%rbx)\n" LEAVE)
    FUNCTION(stays_locked, ENTER LOCK "incq 0xd8(%rbx)\n test %esi, %esi\n je 1f\n"
                           UNLOCK "1:\n" LEAVE)
    FUNCTION(loops, ENTER LOCK "1: incq 0xe0(%rbx)\n dec %esi\n jne 1b\n" UNLOCK LEAVE)
    FUNCTION(stores_other, ENTER LOCK "mov 0xe8(%rbx), %rax\n add $1, %rax\n"
                           "mov %rsi, 0xe8(%rbx)\n" UNLOCK LEAVE)
    // What was loaded before the lock's call is not the counter any more when it is stored.
    FUNCTION(stale, ENTER "mov 0xf0(%rbx), %rax\n" LOCK "add $1, %rax\n"
                    "mov %rax, 0xf0(%rbx)\n" UNLOCK LEAVE)
    FUNCTION(gives_new, ENTER LOCK "mov 0xf8(%rbx), %eax\n lea 1(%rax), %ebp\n"
                        "mov %ebp, 0xf8(%rbx)\n" UNLOCK "mov %ebp, %eax\n" LEAVE)
    FUNCTION(gives_old, ENTER LOCK "mov 0x100(%rbx), %ebp\n lea 1(%rbp), %eax\n"
                        "mov %eax, 0x100(%rbx)\n" UNLOCK "mov %ebp, %eax\n" LEAVE)
    FUNCTION(gives_loaded, ENTER LOCK "incl 0x104(%rbx)\n mov 0x104(%rbx), %ebp\n" UNLOCK
                           "mov %ebp, %eax\n" LEAVE)
    FUNCTION(gives_pointer, ENTER LOCK "incl 0x108(%rbx)\n" UNLOCK "mov %rbx, %rax\n" LEAVE)
    FUNCTION(gives_zero, ENTER LOCK "incl 0x10c(%rbx)\n" UNLOCK "xor %eax, %eax\n" LEAVE)
    FUNCTION(gives_wide, ENTER LOCK "incl 0x110(%rbx)\n mov 0x110(%rbx), %ebp\n" UNLOCK
                         "movslq %ebp, %rax\n" LEAVE)
    FUNCTION(gives_test, ENTER LOCK "decl 0x114(%rbx)\n sete %bpl\n" UNLOCK
                         "movzbl %bpl, %eax\n" LEAVE)
    FUNCTION(loads_for_nothing, ENTER LOCK "mov 0x118(%rbx), %ebp\n" UNLOCK LEAVE)
    // A pair of which one half does more; a reset is no rival: it loses nothing.
    FUNCTION(enters, ENTER LOCK "incl 0x120(%rbx)\n" UNLOCK LEAVE)
    FUNCTION(leaves, ENTER LOCK "mov 0x120(%rbx), %eax\n sub $1, %eax\n mov %eax, 0x120(%rbx)\n"
                     "jne 1f\n call stand_in_other\n 1:\n" UNLOCK LEAVE)
    FUNCTION(restarts, ENTER LOCK "movl $0, 0x124(%rbx)\n" UNLOCK LEAVE)
    FUNCTION(counts, ENTER LOCK "incl 0x124(%rbx)\n" UNLOCK LEAVE)
    // Whose counter it is: after a choice, through a pointer kept on the stack, by another argument.
    FUNCTION(chosen, "push %rbx\n mov %rdi, %rbx\n test %rdx, %rdx\n cmovne %rsi, %rbx\n"
                     "call stand_in_lock\n incq 0x130(%rbx)\n" UNLOCK LEAVE)
    FUNCTION(branched, "push %rbx\n mov %rdi, %rbx\n test %rdx, %rdx\n je 1f\n mov %rsi, %rbx\n 1:\n"
                       "call stand_in_lock\n incq 0x138(%rbx)\n" UNLOCK LEAVE)
    FUNCTION(framed, "push %rbp\n mov %rsp, %rbp\n sub $0x20, %rsp\n mov %rdi, -0x18(%rbp)\n"
                     "mov %esi, -0x1c(%rbp)\n call stand_in_lock\n mov -0x18(%rbp), %rax\n"
                     "mov 0x140(%rax), %edx\n mov -0x1c(%rbp), %eax\n add %eax, %edx\n"
                     "mov -0x18(%rbp), %rax\n mov %edx, 0x140(%rax)\n call stand_in_unlock\n leave\n ret")
    FUNCTION(inner, "push %rbp\n mov %rsp, %rbp\n sub $0x20, %rsp\n mov 8(%rdi), %rax\n"
                    "mov %rax, -8(%rbp)\n call stand_in_lock\n mov -8(%rbp), %rax\n"
                    "incq 0x148(%rax)\n call stand_in_unlock\n leave\n ret")
    FUNCTION(further, "push %rbx\n lea 8(%rdi), %rbx\n call stand_in_lock\n incq 0x150(%rbx)\n"
                      "call stand_in_unlock\n" LEAVE)
    FUNCTION(further_load, "push %rbx\n lea 8(%rdi), %rbx\n call stand_in_lock\n"
                           "mov 0x158(%rbx), %rbx\n call stand_in_unlock\n mov %rbx, %rax\n" LEAVE)
    FUNCTION(comes_back, ENTER "push %rbp\n mov %rsi, %rbp\n test %edx, %edx\n jne 2f\n 1:" LOCK
                         "add %rbp, 0x160(%rbx)\n" UNLOCK "pop %rbp\n" LEAVE
                         "\n 2: mov %rcx, %rbp\n jmp 1b")
    FUNCTION(turns_back, ENTER "test %edx, %edx\n jne 2f\n 1:" LOCK "incq 0x190(%rbx)\n" UNLOCK LEAVE
                         "\n 2: xor %edx, %edx\n jmp 1b")
    // How much is added.
    FUNCTION(doubled, ENTER "push %rbp\n mov %rsi, %rbp\n" LOCK "add %rbp, %rbp\n"
                      "add %rbp, 0x168(%rbx)\n" UNLOCK "pop %rbp\n" LEAVE)
    FUNCTION(of_two, ENTER "push %rbp\n lea (%rsi,%rdx), %rbp\n" LOCK "add %rbp, 0x170(%rbx)\n"
                     UNLOCK "pop %rbp\n" LEAVE)
    FUNCTION(shifted, ENTER "push %rbp\n mov %rsi, %rbp\n" LOCK "shl $3, %rbp\n"
                      "add %rbp, 0x178(%rbx)\n" UNLOCK "pop %rbp\n" LEAVE)
    FUNCTION(widened, ENTER "push %rbp\n movslq %esi, %rbp\n" LOCK "add %rbp, 0x180(%rbx)\n" UNLOCK
                      "pop %rbp\n" LEAVE)
    FUNCTION(halved, ENTER "push %rbp\n mov %esi, %ebp\n" LOCK "add %rbp, 0x188(%rbx)\n" UNLOCK
                     "pop %rbp\n" LEAVE)
    FUNCTION(half_kept, ENTER "push %rbp\n mov %esi, %ebp\n" LOCK "add %ebp, 0x198(%rbx)\n" UNLOCK
                        "pop %rbp\n" LEAVE)
    FUNCTION(wraps, ENTER LOCK "mov 0x1a0(%rbx), %eax\n add $1, %eax\n mov %rax, 0x1a0(%rbx)\n" UNLOCK LEAVE)
    FUNCTION(wraps_late, ENTER LOCK "mov 0x1a8(%rbx), %rax\n lea 1(%rax), %eax\n"
                         "mov %rax, 0x1a8(%rbx)\n" UNLOCK LEAVE)
    // clang-format on
    "stand_in_text_end:\n");

extern const uint8_t stand_in_text[], stand_in_text_end[];

#define DECLARE(name) extern const uint8_t begin_##name[], end_##name[]
DECLARE(plain);
DECLARE(endbr);
DECLARE(tail);
DECLARE(pointer);
DECLARE(frame);
DECLARE(load);
DECLARE(two_fields);
DECLARE(sets);
DECLARE(calls_once);
DECLARE(calls_more);
DECLARE(no_calls);
DECLARE(function_pointer);
DECLARE(rival);
DECLARE(bystander);
DECLARE(caller);
DECLARE(both_ways);
DECLARE(far_saturates);
DECLARE(saturates);
DECLARE(twice);
DECLARE(after_unlock);
DECLARE(stays_locked);
DECLARE(loops);
DECLARE(stores_other);
DECLARE(stale);
DECLARE(enters);
DECLARE(counts);
DECLARE(gives_new);
DECLARE(gives_old);
DECLARE(gives_loaded);
DECLARE(gives_pointer);
DECLARE(gives_zero);
DECLARE(gives_wide);
DECLARE(gives_test);
DECLARE(loads_for_nothing);
DECLARE(chosen);
DECLARE(branched);
DECLARE(framed);
DECLARE(inner);
DECLARE(further);
DECLARE(further_load);
DECLARE(comes_back);
DECLARE(turns_back);
DECLARE(doubled);
DECLARE(of_two);
DECLARE(shifted);
DECLARE(widened);
DECLARE(halved);
DECLARE(half_kept);
DECLARE(wraps);
DECLARE(wraps_late);

static const struct row {
    const uint8_t *begin, *end;
    struct uc_action action;
    const char *refusal; // NULL: none
    size_t entry, rivals;
} rows[] = {
#define ROW(name, ...)                                                                             \
    {                                                                                              \
        begin_##name, end_##name, __VA_ARGS__                                                      \
    }
#define ADD(width, offset)                                                                         \
    {                                                                                              \
        UC_ADD, (width), false, 0, false, (offset), 1                                              \
    }
#define SUB(width, offset)                                                                         \
    {                                                                                              \
        UC_SUB, (width), false, 0, false, (offset), 1                                              \
    }
#define LOAD(width, offset)                                                                        \
    {                                                                                              \
        UC_LOAD, (width), false, 0, false, (offset), 1                                             \
    }
#define BY(operation, width, offset, by_argument, amount)                                          \
    {                                                                                              \
        (operation), (width), false, 0, (by_argument), (offset), (amount)                          \
    }
    ROW(plain, ADD(8, 0x60), NULL, 0, 1), // `rival`
    ROW(rival, SUB(8, 0x60), NULL, 0, 1), // `plain`
    ROW(bystander, SUB(8, 0xb0), NULL, 0, 0),
    ROW(endbr, ADD(4, 0x58), NULL, 4, 1), // `caller`
    ROW(tail, BY(UC_ADD, 8, 0x68, true, 1), NULL, 0, 0),
    ROW(pointer, ADD(4, 0x70), NULL, 0, 0),
    ROW(frame, ADD(8, 0x78), NULL, 0, 0),
    ROW(load, LOAD(8, 0x60), NULL, 0, 0), // loads have no rivals
    ROW(no_calls, ADD(8, 0xa0), "takes no lock: nothing to gain", 0, 0),
    ROW(both_ways, ADD(4, 0xb8), NULL, 0, 0),
    ROW(plain, ADD(4, 0x60), "changes the counter in another way", 0, 0),
    ROW(plain, SUB(8, 0x60), "changes the counter in another way", 0, 0),
    ROW(plain, BY(UC_ADD, 8, 0x60, false, 2), "changes the counter in another way", 0, 0),
    ROW(plain, BY(UC_ADD, 8, 0x60, true, 1), "changes the counter in another way", 0, 0),
    ROW(tail, ADD(8, 0x68), "changes the counter in another way", 0, 0),
    ROW(plain, ADD(8, 0x48), "no instruction of it uses that offset", 0, 0),
    ROW(plain, ADD(8, 0x20), "does not add to a counter there", 0, 0), // the lock
    ROW(plain, LOAD(8, 0x60), "changes the counter", 0, 0),
    ROW(load, ADD(8, 0x60), "does not add to a counter there", 0, 0),
    ROW(two_fields, ADD(8, 0x80), "changes more than the counter", 0, 0),
    ROW(two_fields, LOAD(8, 0x80), "changes the counter", 0, 0),
    ROW(sets, ADD(8, 0x80), "changes the counter in another way", 0, 0),
    ROW(calls_once, ADD(8, 0x90), "calls one function: no lock and unlock", 0, 0),
    ROW(calls_more, ADD(8, 0x98), "calls more than a lock and its unlock", 0, 0),
    ROW(function_pointer, ADD(8, 0xa8), "holds a jump or call whose target is not known", 0, 0),
    ROW(far_saturates, ADD(8, 0x1b0), "does not do that once on every way through it", 0, 0),
    ROW(saturates, ADD(8, 0xc0), "does not do that once on every way through it", 0, 0),
    ROW(twice, ADD(8, 0xc8), "does not do that once on every way through it", 0, 0),
    ROW(after_unlock, ADD(8, 0xd0), "does not do that once on every way through it", 0, 0),
    ROW(stays_locked, ADD(8, 0xd8), "does not do that once on every way through it", 0, 0),
    ROW(loops, ADD(8, 0xe0), "does not do that once on every way through it", 0, 0),
    ROW(stores_other, ADD(8, 0xe8), "changes the counter in another way", 0, 0),
    ROW(stale, ADD(8, 0xf0), "changes the counter in another way", 0, 0),
#define FETCH(width, offset)                                                                       \
    {                                                                                              \
        UC_ADD, (width), true, 0, false, (offset), 1                                               \
    }
    ROW(gives_new, ADD(4, 0xf8), NULL, 0, 0),
    ROW(gives_new, FETCH(4, 0xf8), "returns something else", 0, 0),
    ROW(gives_old, FETCH(4, 0x100), NULL, 0, 0),
    ROW(gives_old, ADD(4, 0x100), "returns something else", 0, 0),
    ROW(gives_loaded, ADD(4, 0x104), NULL, 0, 0),
    ROW(gives_loaded, FETCH(4, 0x104), "returns something else", 0, 0),
    ROW(gives_pointer, ADD(4, 0x108), "returns something else", 0, 0),
    ROW(gives_zero, ADD(4, 0x10c), "returns something else", 0, 0),
    ROW(gives_wide, ADD(4, 0x110), "returns something else", 0, 0),
    ROW(gives_test, SUB(4, 0x114), "returns something else", 0, 0),
    ROW(loads_for_nothing, LOAD(4, 0x118), "returns something else", 0, 0),
    ROW(enters, ADD(4, 0x120), NULL, 0, 1), // `leaves`
    ROW(counts, ADD(4, 0x124), NULL, 0, 0),
#define LOST "which argument the counter is in cannot be told"
#define ELSE "the counter is not there, seen from that argument"
#define SOME "adds something else than that argument"
#define CUT  "changes the counter in another way"
#define FROM1(offset)                                                                              \
    {                                                                                              \
        UC_ADD, 8, false, 1, false, (offset), 1                                                    \
    }
    ROW(chosen, ADD(8, 0x130), LOST, 0, 0),
    ROW(branched, ADD(8, 0x138), LOST, 0, 0),
    ROW(branched, FROM1(0x138), LOST, 0, 0),
    ROW(framed, BY(UC_ADD, 4, 0x140, true, 1), NULL, 0, 0),
    ROW(framed, BY(UC_ADD, 4, 0x140, true, 2), SOME, 0, 0),
    ROW(frame, FROM1(0x78), ELSE, 0, 0),
    ROW(inner, ADD(8, 0x148), LOST, 0, 0),
    ROW(further, ADD(8, 0x150), ELSE, 0, 0),
    ROW(further_load, LOAD(8, 0x158), LOST, 0, 0),
    ROW(comes_back, BY(UC_ADD, 8, 0x160, true, 1), SOME, 0, 0),
    ROW(turns_back, ADD(8, 0x190), NULL, 0, 0),
    ROW(doubled, BY(UC_ADD, 8, 0x168, true, 1), SOME, 0, 0),
    ROW(of_two, BY(UC_ADD, 8, 0x170, true, 1), SOME, 0, 0),
    ROW(of_two, BY(UC_ADD, 8, 0x170, true, 2), SOME, 0, 0),
    ROW(shifted, BY(UC_ADD, 8, 0x178, true, 1), SOME, 0, 0),
    ROW(widened, BY(UC_ADD, 8, 0x180, true, 1), SOME, 0, 0),
    ROW(halved, BY(UC_ADD, 8, 0x188, true, 1), SOME, 0, 0),
    ROW(half_kept, BY(UC_ADD, 4, 0x198, true, 1), NULL, 0, 0),
    ROW(wraps, ADD(8, 0x1a0), CUT, 0, 0),
    ROW(wraps_late, ADD(8, 0x1a8), CUT, 0, 0),
};

static void each_function_is_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < uc_countof(rows); i++) {
        struct uc_suspect s = {rows[i].begin, (size_t)(rows[i].end - rows[i].begin), 5,
                               &rows[i].action};
        struct uc_proof p;
        uc_prove(&s, &p);
        const char *refusal = p.refusal ? p.refusal : uc_prove_ways(&s, &p);
        refusal = refusal ? refusal : uc_trace_objection(&s, &p);
        if ((refusal == NULL) != (rows[i].refusal == NULL) ||
            (refusal && strcmp(refusal, rows[i].refusal) != 0))
            fail_msg("row %zu: %s", i, refusal ? refusal : "no refusal");
        if (refusal)
            continue;
        assert_int_equal(p.entry, rows[i].entry);
        size_t rivals = 0;
        size_t n = (size_t)(stand_in_text_end - stand_in_text);
        const uint8_t *at = NULL;
        while ((at = uc_prove_rival(&s, &p, stand_in_text, n, at)) != NULL)
            rivals++;
        if (rivals != rows[i].rivals)
            fail_msg("row %zu: %zu rivals", i, rivals);
    }
}

// A trusted function (known.h) is asked no more than that.
static void the_first_look_knows_arguments(void **state)
{
    static const struct uc_action other = FROM1(0x60);
    static const struct uc_action by_other = BY(UC_ADD, 8, 0x68, true, 2);
    struct uc_suspect plain = {begin_plain, (size_t)(end_plain - begin_plain), 5, &other};
    struct uc_suspect tail = {begin_tail, (size_t)(end_tail - begin_tail), 5, &by_other};
    struct uc_proof p;
    (void)state;
    uc_prove(&plain, &p);
    assert_non_null(p.refusal);
    uc_prove(&tail, &p);
    assert_non_null(p.refusal);
}

// However short it is cut and however long the jump is, only what fits is accepted.
static void a_jump_must_fit(void **state)
{
    static const struct uc_action action = ADD(8, 0x60);
    (void)state;
    size_t whole = (size_t)(end_plain - begin_plain);
    for (size_t jump = 5; jump <= whole + 1; jump++) {
        struct uc_suspect s = {begin_plain, whole, jump, &action};
        struct uc_proof p;
        uc_prove(&s, &p);
        assert_int_equal(p.refusal == NULL, jump <= whole);
    }
    for (size_t size = 0; size < whole; size++) {
        struct uc_suspect s = {begin_plain, size, 5, &action};
        struct uc_proof p;
        uc_prove(&s, &p);
        if (size < 5)
            assert_string_equal(p.refusal, "shorter than a jump");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_function_is_judged),
        cmocka_unit_test(the_first_look_knows_arguments),
        cmocka_unit_test(a_jump_must_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
