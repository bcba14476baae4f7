// SPDX-License-Identifier: MIT
// The language of UNCONTEND_COUNTERS: what each part means, and what is said when it is wrong.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "spec.h"

static const struct {
    const char *text, *object, *symbol;
    struct uc_action action;
} good[] = {
    {"libcache.so*:cache_hit=add64(arg0+0x48)",
     "libcache.so*",
     "cache_hit",
     {UC_ADD, 8, false, 0, false, 0x48, 1}},
    {":hit=add32(arg1)", "", "hit", {UC_ADD, 4, false, 1, false, 0, 1}},
    {"a:b=sub32(arg0,arg1)", "a", "b", {UC_SUB, 4, false, 0, true, 0, 1}},
    {"a:b=fetch_sub64(arg5+1048576,2147483647)",
     "a",
     "b",
     {UC_SUB, 8, true, 5, false, 1048576, INT32_MAX}},
    {"a:b=fetch_add32( arg0 + 8 , 0x10 )", "a", "b", {UC_ADD, 4, true, 0, false, 8, 16}},
    {"a:b=load32(arg0)", "a", "b", {UC_LOAD, 4, false, 0, false, 0, 1}},
    {"a:b=load64(arg3+0x10)", "a", "b", {UC_LOAD, 8, false, 3, false, 16, 1}},
    {"a:ns::type::hit=add32(arg0)", "a", "ns::type::hit", {UC_ADD, 4, false, 0, false, 0, 1}},
    {"a:(anonymous namespace)::hit=add32(arg0)",
     "a",
     "(anonymous namespace)::hit",
     {UC_ADD, 4, false, 0, false, 0, 1}},
    {"a:_ZN5cacheaSEi=add32(arg0,0)", "a", "_ZN5cacheaSEi", {UC_ADD, 4, false, 0, false, 0, 0}},
};

static void a_place_is_understood(void **state)
{
    (void)state;
    char text[] = "a:ns::b@0x123456789a+0x2f/00ffA7=add64(arg0)";
    char version[] = "a:b@GLIBC_2.2.5=add64(arg0)";
    static const uint8_t id[] = {0, 0xff, 0xa7};
    struct uc_spec spec;
    struct uc_spec_error error;
    assert_int_equal(uc_spec_parse(text, &spec, &error), 0);
    assert_string_equal(spec.symbol, "ns::b");
    assert_int_equal(spec.location.value, 0x123456789a);
    assert_int_equal(spec.location.size, 0x2f);
    assert_int_equal(spec.location.build_id_size, sizeof id);
    assert_memory_equal(spec.location.build_id, id, sizeof id);
    assert_int_equal(uc_spec_parse(version, &spec, &error), 0);
    assert_string_equal(spec.symbol, "b@GLIBC_2.2.5");
    assert_int_equal(spec.location.size, 0);
}

static void parts_are_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < uc_countof(good); i++) {
        char text[128];
        struct uc_spec spec;
        struct uc_spec_error error = {0};
        strcpy(text, good[i].text);
        if (uc_spec_parse(text, &spec, &error) != 0)
            fail_msg("%s: %s: %s", good[i].text, error.part, error.why);
        assert_string_equal(spec.object, good[i].object);
        assert_string_equal(spec.symbol, good[i].symbol);
        assert_string_equal(spec.action_text, strrchr(good[i].text, '=') + 1);
        assert_int_equal(spec.action.operation, good[i].action.operation);
        assert_int_equal(spec.action.width, good[i].action.width);
        assert_int_equal(spec.action.fetch, good[i].action.fetch);
        assert_int_equal(spec.action.address, good[i].action.address);
        assert_int_equal(spec.action.offset, good[i].action.offset);
        assert_int_equal(spec.action.amount_is_argument, good[i].action.amount_is_argument);
        assert_int_equal(spec.action.amount, good[i].action.amount);
    }
}

static const struct {
    const char *text, *part;
} bad[] = {
    {"", "object"},
    {"cache_hit", "object"},
    {"=add64(arg0)", "object"},
    {"ns::hit=add64(arg0)", "object"},
    {"/usr/lib/a:b=add64(arg0)", "object"},
    {"a:=add64(arg0)", "symbol"},
    {"a:b(int)=add64(arg0)", "symbol"},
    {"a:b@0x10=add64(arg0)", "location"},
    {"a:b@0x10+=add64(arg0)", "location"},
    {"a:b@0x10+0/ab=add64(arg0)", "location"},
    {"a:b@0x0+8/ab=add64(arg0)", "location"},
    {"a:b@0x10+8/=add64(arg0)", "location"},
    {"a:b@0x10+8/abc=add64(arg0)", "location"},
    {"a:b@0x10+8/ag=add64(arg0)", "location"},
    {"a:b@0x10+8/ab =add64(arg0)", "location"},
    {"a:b@0x10 +8/ab=add64(arg0)", "location"},
    {"a:b@0x10000000000000000+8/ab=add64(arg0)", "location"},
    {"a:b@0x10+9999999999/ab=add64(arg0)", "location"},
    {"a:b@0x10+8/000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20=add64(arg0)",
     "location"},
    {"a:b", "operation"},
    {"a:b=", "operation"},
    {"a:b=(arg0)", "operation"},
    {"a:b=add(arg0)", "operation"},
    {"a:b=add8(arg0)", "operation"},
    {"a:b=ADD32(arg0)", "operation"},
    {"a:b=fetch_(arg0)", "operation"},
    {"a:b=fetch_load32(arg0)", "operation"},
    {"a:b=add32", "address"},
    {"a:b=add32 arg0", "address"},
    {"a:b=add32()", "address"},
    {"a:b=add32(arg)", "address"},
    {"a:b=add32(arg6)", "address"},
    {"a:b=add32(arg00)", "address"},
    {"a:b=add32(arg0-4)", "address"},
    {"a:b=add32(arg0+)", "address"},
    {"a:b=add32(arg0+0x)", "address"},
    {"a:b=add32(arg0+2)", "address"},
    {"a:b=add64(arg0+4)", "address"},
    {"a:b=add64(arg0+1048584)", "address"},
    {"a:b=add64(arg0+99999999999999999999999)", "address"},
    {"a:b=add64(arg0 8)", "address"},
    {"a:b=add64(arg0", "end"},
    {"a:b=add64(arg0))", "end"},
    {"a:b=add64(arg0) x", "end"},
    {"a:b=add64(arg0,)", "amount"},
    {"a:b=add64(arg0,x)", "amount"},
    {"a:b=add64(arg0,-1)", "amount"},
    {"a:b=add64(arg0,arg6)", "amount"},
    {"a:b=add64(arg0,2147483648)", "amount"},
    {"a:b=load64(arg0,1)", "amount"},
};

static void wrong_parts_are_named_and_the_text_is_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < uc_countof(bad); i++) {
        char text[128];
        struct uc_spec spec;
        struct uc_spec_error error = {0};
        strcpy(text, bad[i].text);
        if (uc_spec_parse(text, &spec, &error) != -EINVAL)
            fail_msg("'%s' was understood", bad[i].text);
        if (strcmp(error.part, bad[i].part) != 0)
            fail_msg("'%s': %s: %s", bad[i].text, error.part, error.why);
        assert_string_equal(text, bad[i].text);
    }
}

static void elements_are_cut_at_semicolons(void **state)
{
    (void)state;
    char text[] = " ;; a:b=c ;\td e\t; ;f";
    char *rest = text;
    assert_string_equal(uc_spec_next(&rest), "a:b=c");
    assert_string_equal(uc_spec_next(&rest), "d e");
    assert_string_equal(uc_spec_next(&rest), "f");
    assert_null(uc_spec_next(&rest));
    assert_null(uc_spec_next(&rest));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_understood),
        cmocka_unit_test(a_place_is_understood),
        cmocka_unit_test(wrong_parts_are_named_and_the_text_is_kept),
        cmocka_unit_test(elements_are_cut_at_semicolons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
