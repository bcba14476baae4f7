// SPDX-License-Identifier: MIT
// render.c, report.c: the three forms of the statistics, their limits, and the dump file's name.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report.h"
#include "thread.h"

static struct uc_root root;
static struct uc_view view;
static char out[UC_RENDER_MAX];

static const char *rendered(enum uc_format_choice form)
{
    struct uc_text t = UC_TEXT(out);
    out[0] = '\0';
    uc_render(&view, form, &t);
    assert_false(t.cut);
    return out;
}

static int set_usual(void **state)
{
    (void)state;
    memset(&root, 0, sizeof root);
    memset(&view, 0, sizeof view);
    view.root = &root;
    view.up = UINT64_C(12345678901);
    root.pid = 4711;
    strcpy(root.version, "1.2.3");
    strcpy(root.program, "haproxy");
    strcpy(root.random.name, "vdso");
    strcpy(root.locks.name, "spin");
    strcpy(root.locks.reason, "membarrier is refused");
    strcpy(root.dump_signal.name, "USR1");
    strcpy(root.counter[0].what, "libssl.so:ssl_update_counter");
    strcpy(root.counter[0].how, "add32(arg1)");
    root.counter[0].active = 1;
    strcpy(root.counter[3].what, "libz.so:f");
    strcpy(root.counter[3].how, "shorter than a jump");
    view.counter[0] = 99;
    for (size_t i = 0; i < UC_STAT_COUNT; i++)
        view.stat[i] = 1000 + i;
    return 0;
}

// All strings full, all numbers at their widest, every character needing an escape.
static void set_worst(char c)
{
    struct uc_state *states[] = {&root.random, &root.locks, &root.counters, &root.dump_signal};
    root.pid = UINT32_MAX;
    view.up = UINT64_MAX;
    memset(root.program, c, sizeof root.program - 1);
    memset(root.version, c, sizeof root.version - 1);
    for (size_t i = 0; i < uc_countof(states); i++) {
        memset(states[i]->name, c, sizeof states[i]->name - 1);
        memset(states[i]->reason, c, sizeof states[i]->reason - 1);
    }
    for (size_t i = 0; i < UC_COUNTER_SLOTS; i++) {
        memset(root.counter[i].what, c, sizeof root.counter[i].what - 1);
        memset(root.counter[i].how, c, sizeof root.counter[i].how - 1);
        root.counter[i].active = 1;
        view.counter[i] = UINT64_MAX;
    }
    for (size_t i = 0; i < UC_STAT_COUNT; i++)
        view.stat[i] = UINT64_MAX;
    view.hot_count = UC_HOT_ROWS;
    for (size_t i = 0; i < UC_HOT_ROWS; i++) {
        struct uc_hot_row *h = &view.hot[i];
        h->lock = h->caller = h->tries = h->waits = h->waited = h->longest = UINT64_MAX;
        h->write = true;
        memset(h->lock_name, c, sizeof h->lock_name - 1);
        memset(h->caller_name, c, sizeof h->caller_name - 1);
        memset(h->spec, c, sizeof h->spec - 1);
    }
}

static size_t widest(const char *s)
{
    size_t most = 0;
    for (; *s; s += strcspn(s, "\n"), s += *s == '\n') {
        size_t n = strcspn(s, "\n");
        most = n > most ? n : most;
    }
    return most;
}

static void test_text_has_each_thing_on_its_line(void **state)
{
    (void)state;
    const char *s = rendered(UC_FORMAT_TEXT);
    assert_true(strncmp(s, "uncontend 1.2.3 pid 4711 program haproxy\n", 41) == 0);
    assert_non_null(strstr(s, "\nrandom    vdso\n"));
    assert_non_null(strstr(s, "\nlocks     spin: membarrier is refused\n"));
    assert_non_null(strstr(s, "\nuptime_seconds                                12\n"));
    assert_non_null(strstr(s, "\ngetrandom_calls                             1000\n"));
    assert_non_null(strstr(s, "\ncounter libssl.so:ssl_update_counter 99 add32(arg1)\n"));
    assert_non_null(strstr(s, "\ncounter libz.so:f - shorter than a jump\n"));
}

static void test_text_lists_all_stats_in_the_tables_order(void **state)
{
    (void)state;
    const char *s = rendered(UC_FORMAT_TEXT);
    for (size_t i = 0; i < UC_STAT_COUNT; i++) {
        char line[128];
        snprintf(line, sizeof line, "\n%-28s%20zu\n", uc_stat_names[i], 1000 + i);
        s = strstr(s, line);
        if (!s)
            fail_msg("no line, or not in order: %s", line);
    }
}

static void test_text_is_80_columns_at_most(void **state)
{
    (void)state;
    assert_true(widest(rendered(UC_FORMAT_TEXT)) <= UC_RENDER_WIDTH);
    set_worst('m');
    assert_true(widest(rendered(UC_FORMAT_TEXT)) <= UC_RENDER_WIDTH);
    strcpy(root.random.reason, "several words of a usual length that together make more than one "
                               "line of eighty columns and so wrap");
    assert_true(widest(rendered(UC_FORMAT_TEXT)) <= UC_RENDER_WIDTH);
    assert_non_null(strstr(out, "so wrap\n"));
}

static void test_each_form_fits_at_its_worst(void **state)
{
    (void)state;
    static const char worst[] = {'m', '"', '\\', '\n', '\x01', '\x7f', (char)0xff, ' '};
    for (size_t i = 0; i < sizeof worst; i++) {
        set_worst(worst[i]);
        for (int form = UC_FORMAT_TEXT; form <= UC_FORMAT_PROMETHEUS; form++)
            (void)rendered((enum uc_format_choice)form);
    }
}

// A program's name must not command a terminal, end a line, or break out of quotes.
static void test_foreign_names_stay_names(void **state)
{
    (void)state;
    strcpy(root.program, "a\033[2Jb\nc\"d\\e\xff\xc3\xa9");
    assert_non_null(strstr(rendered(UC_FORMAT_TEXT), "program a?[2Jb?c\"d\\e"));
    assert_non_null(
        strstr(rendered(UC_FORMAT_JSON), "\"a\\u001b[2Jb\\u000ac\\\"d\\\\e?\xc3\xa9\""));
    assert_non_null(
        strstr(rendered(UC_FORMAT_PROMETHEUS), "program=\"a [2Jb c\\\"d\\\\e?\xc3\xa9\""));
}

static void test_only_valid_utf8_passes(void **state)
{
    (void)state;
    static const char *const bad[] = {"\x80",         "\xc0\x80",        "\xc3",
                                      "\xe0\x80\x80", "\xed\xa0\x80",    "\xf0\x80\x80\x80",
                                      "\xf5",         "\xf4\x90\x80\x80"};
    for (size_t i = 0; i < uc_countof(bad); i++) {
        strcpy(root.program, bad[i]);
        const char *s = strstr(rendered(UC_FORMAT_JSON), "\"program\":\"?");
        if (!s)
            fail_msg("row %zu: %s", i, out);
    }
    strcpy(root.program, "\xf0\x9f\x98\x80\xe2\x82\xac");
    assert_non_null(strstr(rendered(UC_FORMAT_JSON), root.program));
}

static void test_json_is_one_line(void **state)
{
    (void)state;
    const char *s = rendered(UC_FORMAT_JSON);
    assert_ptr_equal(strchr(s, '\n'), s + strlen(s) - 1);
    assert_non_null(strstr(s, "\"state\":{\"random\":{\"name\":\"vdso\",\"reason\":\"\"},"));
    assert_non_null(strstr(s, "\"lock_read_fast\":1016,"));
    assert_non_null(strstr(s, "{\"function\":\"libz.so:f\",\"how\":\"shorter than a jump\","
                              "\"replaced\":false,\"calls\":0}]}\n"));
}

static void test_prometheus_has_a_family_for_each_stat(void **state)
{
    (void)state;
    const char *s = rendered(UC_FORMAT_PROMETHEUS);
    for (size_t i = 0; i < UC_STAT_COUNT; i++) {
        char line[256];
        snprintf(line, sizeof line,
                 "# HELP uncontend_%s_total %s\n# TYPE uncontend_%s_total counter\n"
                 "uncontend_%s_total{pid=\"4711\",program=\"haproxy\"} %zu\n",
                 uc_stat_names[i], uc_stat_helps[i], uc_stat_names[i], uc_stat_names[i], 1000 + i);
        if (i != UC_STAT_COUNTERS && !strstr(s, line))
            fail_msg("missing: %s", line);
    }
    assert_non_null(strstr(s, "\nuncontend_replaced_calls_total{pid=\"4711\",program=\"haproxy\","
                              "function=\"libssl.so:ssl_update_counter\"} 99\n"));
    assert_null(strstr(s, "libz.so"));
}

static void test_collect_sums_all_blocks(void **state)
{
    (void)state;
    static struct uc_view v;
    struct uc_thread *t = uc_thread_self();
    uc_stat_add(t, UC_STAT_GETENTROPY, 5);
    uc_stat_add(NULL, UC_STAT_GETENTROPY, 2);
    uc_stat_add(t, UC_STAT_RANDOM_BYTES, 100);
    uc_stat_add(t, UC_STAT_ARC4RANDOM, 10);
    uc_stat_add(NULL, UC_STAT_ARC4RANDOM_UNIFORM, 1);
    __atomic_fetch_add(&uncontend_root.shared.counter[1], 3, __ATOMIC_RELAXED);
    if (t)
        t->block.counter[2] += 4;
    uc_report_collect(&v);
    assert_int_equal(v.stat[UC_STAT_GETENTROPY], 7);
    assert_int_equal(v.stat[UC_STAT_RANDOM_BYTES], 144);
    assert_int_equal(v.counter[1], 3);
    assert_int_equal(v.stat[UC_STAT_COUNTERS], t ? 7 : 3);
}

static void test_the_dump_files_name(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *name; // NULL: refused
    } rows[] = {
        {"/var/log/u", "/var/log/u"},
        {"%e.%p", "haproxy.4711"},
        {"100%%", "100%"},
        {"%", NULL},
        {"a%d", NULL},
        {"", NULL},
        {"%%p", "%p"},
        {"%p%p", "47114711"},
    };
    for (size_t i = 0; i < uc_countof(rows); i++) {
        char b[64] = "";
        struct uc_text t = UC_TEXT(b);
        bool good = uc_report_name(rows[i].pattern, &root, &t);
        if (good != (rows[i].name != NULL) || (good && strcmp(b, rows[i].name) != 0))
            fail_msg("'%s' gave %s '%s'", rows[i].pattern, good ? "the name" : "no name, but", b);
    }
    char small[8];
    struct uc_text t = UC_TEXT(small);
    assert_false(uc_report_name("%e-%p", &root, &t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_text_has_each_thing_on_its_line, set_usual),
        cmocka_unit_test_setup(test_text_lists_all_stats_in_the_tables_order, set_usual),
        cmocka_unit_test_setup(test_text_is_80_columns_at_most, set_usual),
        cmocka_unit_test_setup(test_each_form_fits_at_its_worst, set_usual),
        cmocka_unit_test_setup(test_foreign_names_stay_names, set_usual),
        cmocka_unit_test_setup(test_only_valid_utf8_passes, set_usual),
        cmocka_unit_test_setup(test_json_is_one_line, set_usual),
        cmocka_unit_test_setup(test_prometheus_has_a_family_for_each_stat, set_usual),
        cmocka_unit_test_setup(test_collect_sums_all_blocks, set_usual),
        cmocka_unit_test_setup(test_the_dump_files_name, set_usual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
