// SPDX-License-Identifier: MIT
// options.c: defaults, values of each kind, one complaint for each thing that cannot be used.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "options.h"

static struct uc_options o;
static char said[8192];

static int parse(char *const *env)
{
    struct uc_text t = UC_TEXT(said);
    said[0] = '\0';
    memset(&o, 0xee, sizeof o);
    return uc_options_parse(&o, env, &t);
}

#define PARSE(...) parse((char *[]){__VA_ARGS__, NULL})

static size_t lines(void)
{
    size_t n = 0;
    for (const char *p = said; *p; p++)
        n += *p == '\n';
    return n;
}

static void test_defaults_without_an_environment(void **state)
{
    (void)state;
    assert_int_equal(parse(NULL), 0);
    assert_int_equal(o.random, UC_RANDOM_AUTO);
    assert_int_equal(o.locks, UC_LOCKS_ON);
    assert_int_equal(o.reseed_bytes, 1 << 20);
    assert_int_equal(o.reseed_seconds, 60);
    assert_string_equal(o.counters, "auto");
    assert_string_equal(o.dump_signal, "USR1");
    assert_string_equal(o.dump_file, "");
    assert_int_equal(o.dump_format, UC_FORMAT_TEXT);
    assert_int_equal(o.disable, UC_OFF);
    assert_string_equal(said, "");
}

static void test_a_value_of_each_kind(void **state)
{
    (void)state;
    assert_int_equal(PARSE("UNCONTEND_RANDOM=drbg", "UNCONTEND_RESEED_BYTES=64K",
                           "UNCONTEND_DUMP_FILE=/a=b:c", "HOME=/", "UNCONTEND_LOCKS=spin",
                           "UNCONTEND_DUMP_FORMAT=json", "UNCONTEND_VERBOSE=on"),
                     0);
    assert_int_equal(o.random, UC_RANDOM_DRBG);
    assert_int_equal(o.reseed_bytes, 65536);
    assert_string_equal(o.dump_file, "/a=b:c");
    assert_int_equal(o.locks, UC_LOCKS_SPIN);
    assert_int_equal(o.dump_format, UC_FORMAT_JSON);
    assert_int_equal(o.verbose, UC_ON);
    assert_string_equal(said, "");
}

static void test_one_and_zero_mean_on_and_off(void **state)
{
    (void)state;
    assert_int_equal(PARSE("UNCONTEND_VERBOSE=1"), 0);
    assert_int_equal(o.verbose, UC_ON);
    assert_int_equal(PARSE("UNCONTEND_LOCKS=0"), 0);
    assert_int_equal(o.locks, UC_LOCKS_OFF);
    assert_int_equal(PARSE("UNCONTEND_TEST_LANES=1"), 0); // a choice of its own there
    assert_int_equal(o.test_lanes, 1);
    assert_string_equal(said, "");
}

// Each row is refused with one line that names the variable and the value, and changes nothing.
static void test_bad_values_keep_the_default(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "UNCONTEND_RANDOM=",           "UNCONTEND_RANDOM=vds",         "UNCONTEND_RANDOM=vdsoo",
        "UNCONTEND_RANDOM=auto|vdso",  "UNCONTEND_RANDOM=VDSO",        "UNCONTEND_RESEED_BYTES=-1",
        "UNCONTEND_RESEED_BYTES=1023", "UNCONTEND_RESEED_BYTES=2G",    "UNCONTEND_RESEED_BYTES=1Q",
        "UNCONTEND_RESEED_SECONDS=0",  "UNCONTEND_VERBOSE=yes",        "UNCONTEND_DISABLE=2",
        "UNCONTEND_RESEED_SECONDS=",   "UNCONTEND_RESEED_SECONDS=60s", "UNCONTEND_LOCKS",
    };
    struct uc_options standard;
    (void)parse(NULL);
    standard = o;
    for (size_t i = 0; i < uc_countof(rows); i++) {
        char row[64];
        uc_text_copy(row, sizeof row, rows[i]);
        int bad = PARSE(row);
        *strchrnul(row, '=') = '\0';
        if (bad != 1 || lines() != 1 || !strstr(said, row) || strncmp(said, "uncontend: ", 11) != 0)
            fail_msg("%s: %d bad, said: %s", rows[i], bad, said);
        assert_int_equal(o.random, standard.random);
        assert_int_equal(o.locks, standard.locks);
        assert_int_equal(o.reseed_bytes, standard.reseed_bytes);
        assert_int_equal(o.reseed_seconds, standard.reseed_seconds);
        assert_int_equal(o.disable, standard.disable);
    }
}

static void test_unknown_names_are_said(void **state)
{
    (void)state;
    assert_int_equal(PARSE("UNCONTEND_RANDOMS=vdso", "UNCONTEND_=1", "XUNCONTEND_RANDOM=x",
                           "UNCONTEND=1", "UNCONTEND_rANDOM=vdso"),
                     3);
    assert_int_equal(lines(), 3);
    assert_non_null(strstr(said, "UNCONTEND_RANDOMS=vdso"));
    assert_int_equal(o.random, UC_RANDOM_AUTO);
}

static void test_a_string_that_is_too_long(void **state)
{
    (void)state;
    char fits[512] = "UNCONTEND_SIGNAL=";
    memset(fits + strlen(fits), 'x', sizeof o.dump_signal - 1);
    assert_int_equal(PARSE(fits), 0);
    assert_int_equal(strlen(o.dump_signal), sizeof o.dump_signal - 1);
    strcat(fits, "x");
    assert_int_equal(PARSE(fits), 1);
    assert_string_equal(o.dump_signal, "USR1");
}

static void test_the_last_of_two_counts(void **state)
{
    (void)state;
    assert_int_equal(PARSE("UNCONTEND_RANDOM=vdso", "UNCONTEND_RANDOM=system"), 0);
    assert_int_equal(o.random, UC_RANDOM_SYSTEM);
}

static void test_more_complaints_than_fit(void **state)
{
    (void)state;
    char b[64];
    struct uc_text t = UC_TEXT(b);
    assert_int_equal(
        uc_options_parse(&o,
                         (char *[]){"UNCONTEND_A=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                    "UNCONTEND_B=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", NULL},
                         &t),
        2);
    assert_true(t.cut);
    assert_true(strlen(b) < sizeof b);
}

// What uc_options_show says is taken back as the same value.
static void test_shown_values_read_back(void **state)
{
    (void)state;
    static struct uc_options once;
    static char line[4096];
    assert_int_equal(PARSE("UNCONTEND_RANDOM=system", "UNCONTEND_RESEED_BYTES=3M",
                           "UNCONTEND_COUNTERS=a.so:f=add32(arg0)", "UNCONTEND_LOCKS=off"),
                     0);
    once = o;
    for (size_t i = 0; i < uc_option_count; i++) {
        const struct uc_option_row *row = &uc_option_rows[i];
        struct uc_text t = UC_TEXT(line);
        uc_text_add(&t, "UNCONTEND_%s=", row->name);
        uc_options_show(&once, row, &t);
        if (PARSE(line) != 0)
            fail_msg("%s: %s", line, said);
        char again[4096];
        struct uc_text u = UC_TEXT(again);
        uc_text_add(&u, "UNCONTEND_%s=", row->name);
        uc_options_show(&o, row, &u);
        assert_string_equal(line, again);
    }
}

static void test_each_row_has_a_sentence_and_an_own_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < uc_option_count; i++) {
        assert_true(strlen(uc_option_rows[i].help) > 10);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(uc_option_rows[i].name, uc_option_rows[j].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_without_an_environment),
        cmocka_unit_test(test_a_value_of_each_kind),
        cmocka_unit_test(test_one_and_zero_mean_on_and_off),
        cmocka_unit_test(test_bad_values_keep_the_default),
        cmocka_unit_test(test_unknown_names_are_said),
        cmocka_unit_test(test_a_string_that_is_too_long),
        cmocka_unit_test(test_the_last_of_two_counts),
        cmocka_unit_test(test_more_complaints_than_fit),
        cmocka_unit_test(test_shown_values_read_back),
        cmocka_unit_test(test_each_row_has_a_sentence_and_an_own_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
