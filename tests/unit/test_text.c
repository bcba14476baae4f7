// SPDX-License-Identifier: MIT
// text.c: formatting, cutting, numbers, globs.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "text.h"

static void test_each_conversion(void **state)
{
    (void)state;
    char b[256];
    struct uc_text t = UC_TEXT(b);
    uc_text_add(&t, "%s %c %d %u %x %zu %lu %lx %p %%", "s", 'c', -5, 7U, 255U, (size_t)8,
                UINT64_MAX, UINT64_MAX, (void *)16);
    assert_string_equal(b, "s c -5 7 ff 8 18446744073709551615 ffffffffffffffff 0x10 %");
    assert_false(t.cut);
    assert_int_equal(t.length, strlen(b));
}

static void test_extremes_of_signed_numbers(void **state)
{
    (void)state;
    char b[64];
    struct uc_text t = UC_TEXT(b);
    uc_text_add(&t, "%d %d %ld", INT32_MIN, INT32_MAX, INT64_MIN);
    assert_string_equal(b, "-2147483648 2147483647 -9223372036854775808");
}

static void test_width_pads_text_right_and_numbers_left(void **state)
{
    (void)state;
    char b[64];
    struct uc_text t = UC_TEXT(b);
    uc_text_add(&t, "[%5s][%5u][%2s][%2u]", "ab", 12U, "abc", 123U);
    assert_string_equal(b, "[ab   ][   12][abc][123]");
}

static void test_a_null_string_is_said(void **state)
{
    (void)state;
    char b[64];
    struct uc_text t = UC_TEXT(b);
    const char *volatile none = NULL;
    uc_text_add(&t, "%s|", none);
    assert_string_equal(b, "(null)|");
}

static void test_what_does_not_fit_is_cut_and_said(void **state)
{
    (void)state;
    char b[8];
    memset(b, 'x', sizeof b);
    struct uc_text t = UC_TEXT(b);
    uc_text_add(&t, "1234567");
    assert_false(t.cut);
    assert_string_equal(b, "1234567");
    uc_text_add(&t, "8");
    assert_true(t.cut);
    assert_string_equal(b, "1234567");
    assert_int_equal(t.length, 7);
}

static void test_a_cut_stays_inside_the_buffer(void **state)
{
    (void)state;
    for (size_t room = 1; room < 40; room++) {
        char b[64];
        memset(b, 'x', sizeof b);
        struct uc_text t = {.at = b, .capacity = room};
        uc_text_add(&t, "%s %20u %10s %lx", "words", 12345U, "pad", UINT64_MAX);
        assert_true(t.length < room);
        assert_int_equal(b[t.length], '\0');
        for (size_t i = room; i < sizeof b; i++)
            assert_int_equal(b[i], 'x');
    }
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int result;
        uint64_t value;
    } rows[] = {
        {"0", 0, 0},
        {"123", 0, 123},
        {"64K", 0, 65536},
        {"1M", 0, 1 << 20},
        {"2G", 0, UINT64_C(2) << 30},
        {"18446744073709551615", 0, UINT64_MAX},
        {"18446744073709551616", -ERANGE, 0},
        {"99999999999999999999999", -ERANGE, 0},
        {"18446744073709551615K", -ERANGE, 0},
        {"17179869184G", -ERANGE, 0},
        {"", -EINVAL, 0},
        {"K", -EINVAL, 0},
        {"-1", -EINVAL, 0},
        {"+1", -EINVAL, 0},
        {" 1", -EINVAL, 0},
        {"1 ", -EINVAL, 0},
        {"1k", -EINVAL, 0},
        {"1KB", -EINVAL, 0},
        {"0x10", -EINVAL, 0},
        {"1.5M", -EINVAL, 0},
    };
    for (size_t i = 0; i < uc_countof(rows); i++) {
        uint64_t v = 77;
        int r = uc_text_number(rows[i].text, &v);
        if (r != rows[i].result || v != (r ? 77 : rows[i].value))
            fail_msg("'%s': result %d, value %lu", rows[i].text, r, v);
    }
}

static void test_globs(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool matches;
    } rows[] = {
        {"haproxy", "haproxy", true},
        {"haproxy", "haproxy2", false},
        {"haproxy", "hapro", false},
        {"ha*", "haproxy", true},
        {"*xy", "haproxy", true},
        {"*", "", true},
        {"", "", true},
        {"", "a", false},
        {"?", "", false},
        {"h?proxy", "haproxy", true},
        {"*a*a*", "banana", true},
        {"*ab", "aab", true},
        {"**a", "ba", true},
        {"a*b*c", "a-b-b-d", false},
        {"[a]", "a", false},
        {"[a]", "[a]", true},
    };
    for (size_t i = 0; i < uc_countof(rows); i++) {
        if (uc_text_glob(rows[i].pattern, rows[i].text) != rows[i].matches)
            fail_msg("'%s' and '%s'", rows[i].pattern, rows[i].text);
    }
}

static void test_a_list_of_globs(void **state)
{
    (void)state;
    assert_true(uc_text_glob_any("nginx:ha*", "haproxy"));
    assert_true(uc_text_glob_any("nginx:ha*", "nginx"));
    assert_false(uc_text_glob_any("nginx:ha*", "nginx:haproxy2x"));
    assert_false(uc_text_glob_any("", "nginx"));
    assert_false(uc_text_glob_any(":", ""));
    assert_true(uc_text_glob_any("::x:", "x"));
}

static void test_copy_cuts_to_fit(void **state)
{
    (void)state;
    char b[4] = "zzz";
    assert_true(uc_text_copy(b, sizeof b, "abc"));
    assert_string_equal(b, "abc");
    assert_false(uc_text_copy(b, sizeof b, "abcd"));
    assert_string_equal(b, "abc");
    assert_true(uc_text_copy(b, sizeof b, ""));
    assert_string_equal(b, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_conversion),
        cmocka_unit_test(test_extremes_of_signed_numbers),
        cmocka_unit_test(test_width_pads_text_right_and_numbers_left),
        cmocka_unit_test(test_a_null_string_is_said),
        cmocka_unit_test(test_what_does_not_fit_is_cut_and_said),
        cmocka_unit_test(test_a_cut_stays_inside_the_buffer),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_globs),
        cmocka_unit_test(test_a_list_of_globs),
        cmocka_unit_test(test_copy_cuts_to_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
