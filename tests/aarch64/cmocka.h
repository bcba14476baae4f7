// SPDX-License-Identifier: MIT
// Stands in for cmocka where that is not to be had (tests/builds/run, the part aarch64): the
// asserts that tests/unit uses, its two kinds of test, and what they print in the TAP form. No
// mocks, no teardown, and no care for memory. One program includes it once.
#ifndef UC_TEST_CMOCKA_H
#define UC_TEST_CMOCKA_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test_func)(void **state);
    int (*setup_func)(void **state);
};

enum { SHIM_RAN, SHIM_FAILED, SHIM_SKIPPED };

static jmp_buf shim_out;

static _Noreturn inline void shim_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    longjmp(shim_out, SHIM_FAILED);
}

// Both sides are shown: got and expected.
static inline void shim_numbers(uintmax_t a, uintmax_t b, int same, const char *file, int line,
                                const char *what)
{
    if ((a == b) == same)
        return;
    fprintf(stderr, "%#jx, %#jx\n", a, b);
    shim_fail(file, line, what);
}

static inline void shim_strings(const char *a, const char *b, int same, const char *file, int line,
                                const char *what)
{
    if ((strcmp(a, b) == 0) == same)
        return;
    fprintf(stderr, "'%s', '%s'\n", a, b);
    shim_fail(file, line, what);
}

static inline void shim_range(uintmax_t v, uintmax_t least, uintmax_t most, const char *file,
                              int line, const char *what)
{
    if (v < least || v > most)
        shim_fail(file, line, what);
}

// Apart from the loop: what a jump comes back to must have no variable that changed.
static __attribute__((noinline)) int shim_run_one(const struct CMUnitTest *test)
{
    void *state = NULL;
    int end = setjmp(shim_out);
    if (end != SHIM_RAN)
        return end;
    if (test->setup_func && test->setup_func(&state) != 0)
        return SHIM_FAILED;
    test->test_func(&state);
    return SHIM_RAN;
}

static inline int shim_run(const struct CMUnitTest *tests, size_t n, int (*set_up)(void **))
{
    int failed = 0;
    void *state = NULL;
    if (set_up && set_up(&state) != 0)
        return 1;
    printf("TAP version 13\n1..%zu\n", n);
    for (size_t i = 0; i < n; i++) {
        int end = shim_run_one(&tests[i]);
        failed += end == SHIM_FAILED;
        printf("%sok %zu %s%s\n", end == SHIM_FAILED ? "not " : "", i + 1,
               end == SHIM_SKIPPED ? "# SKIP " : "- ", tests[i].name);
        fflush(stdout);
    }
    return failed;
}

// clang-format off
#define SHIM_NAME(f, setup)                   {#f, f, setup}
#define cmocka_unit_test(f)                   SHIM_NAME(f, NULL)
#define cmocka_unit_test_setup(f, setup)      SHIM_NAME(f, setup)
#define cmocka_run_group_tests(tests, up, down)                                                    \
    ((void)(down), shim_run(tests, sizeof(tests) / sizeof((tests)[0]), up))

#define SHIM_CHECK(good, what)                ((good) ? (void)0 : shim_fail(SHIM_HERE, what))
#define SHIM_HERE                             __FILE__, __LINE__
#define SHIM_NUMBERS(a, same, b)              shim_numbers((uintmax_t)(a), (uintmax_t)(b), same, SHIM_HERE, #a ", " #b)
#define assert_true(c)                        SHIM_CHECK(c, #c)
#define assert_false(c)                       SHIM_CHECK(!(c), "not " #c)
#define assert_null(p)                        SHIM_CHECK(!(p), #p " == NULL")
#define assert_non_null(p)                    SHIM_CHECK((p) != NULL, #p " != NULL")
#define assert_int_equal(a, b)                SHIM_NUMBERS(a, 1, b)
#define assert_int_not_equal(a, b)            SHIM_NUMBERS(a, 0, b)
#define assert_ptr_equal(a, b)                SHIM_CHECK((const void *)(a) == (const void *)(b), #a " == " #b)
#define assert_ptr_not_equal(a, b)            SHIM_CHECK((const void *)(a) != (const void *)(b), #a " != " #b)
#define assert_in_range(v, least, most)                                                            \
    shim_range((uintmax_t)(v), (uintmax_t)(least), (uintmax_t)(most), SHIM_HERE, #v " in " #least ".." #most)
#define assert_memory_equal(a, b, n)          SHIM_CHECK(memcmp(a, b, n) == 0, #a " == " #b)
#define assert_memory_not_equal(a, b, n)      SHIM_CHECK(memcmp(a, b, n) != 0, #a " != " #b)
#define assert_string_equal(a, b)             shim_strings(a, b, 1, SHIM_HERE, #a ", " #b)
#define assert_string_not_equal(a, b)         shim_strings(a, b, 0, SHIM_HERE, #a ", " #b)
#define fail_msg(...)                         (fprintf(stderr, __VA_ARGS__), shim_fail(SHIM_HERE, "fail_msg"))
#define skip()                                longjmp(shim_out, SHIM_SKIPPED)
// clang-format on

#endif
