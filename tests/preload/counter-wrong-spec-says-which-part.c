// SPDX-License-Identifier: MIT
// claim: each kind of wrong SPEC gives one line that names the part, the rest of them still
// applies, and the program is unharmed.
// matrix: code
// time: 60
#include "lib/target.h"

static const struct {
    const char *spec, *part;
} rows[] = {
    {"cache_hit", "object: "},
    {"=add64(arg0)", "object: "},
    {"ns::cache_hit=add64(arg0)", "object: "},
    {"/usr/lib/libcache*:cache_hit=add64(arg0)", "object: "},
    {"libcache*:=add64(arg0)", "symbol: "},
    {"libcache*:cache_hit(cache*)=add64(arg0)", "symbol: "},
    {"libcache*:cache_hti=add64(arg0+0x60)", "symbol: "},
    {"libcache*:ns::cache_hit=add64(arg0+0x60)", "symbol: "},
    {"libcache*:cache_hit", "operation: "},
    {"libcache*:cache_hit=", "operation: "},
    {"libcache*:cache_hit=add(arg0+0x60)", "operation: "},
    {"libcache*:cache_hit=add16(arg0+0x60)", "operation: "},
    {"libcache*:cache_hit=fetch_load64(arg0+0x60)", "operation: "},
    {"libcache*:cache_hit=add64", "address: "},
    {"libcache*:cache_hit=add64()", "address: "},
    {"libcache*:cache_hit=add64(arg6+0x60)", "address: "},
    {"libcache*:cache_hit=add64(arg10)", "address: "},
    {"libcache*:cache_hit=add64(rdi+0x60)", "address: "},
    {"libcache*:cache_hit=add64(arg0-0x60)", "address: "},
    {"libcache*:cache_hit=add64(arg0+)", "address: "},
    {"libcache*:cache_hit=add64(arg0+sixty)", "address: "},
    {"libcache*:cache_hit=add64(arg0+0x61)", "address: "},
    {"libcache*:cache_hit=add64(arg0+0xffffffffffff)", "address: "},
    {"libcache*:cache_hit=add64(arg0+0x60", "end: "},
    {"libcache*:cache_hit=add64(arg0+0x60))", "end: "},
    {"libcache*:cache_hit=add64(arg0+0x60,)", "amount: "},
    {"libcache*:cache_hit=add64(arg0+0x60,one)", "amount: "},
    {"libcache*:cache_hit=add64(arg0+0x60,arg9)", "amount: "},
    {"libcache*:cache_hit=add64(arg0+0x60,-1)", "amount: "},
    {"libcache*:cache_hit=add64(arg0+0x60,99999999999)", "amount: "},
    {"libcache*:cache_hits=load64(arg0+0x60,1)", "amount: "},
    // The text is right, the function is not.
    {"libcache*:cache_hit=add64(arg0+0x48)", "cache_hit left alone: no instruction of it uses"},
    {"libcache*:cache_hit=add64(arg1+0x60)", "cache_hit left alone: "},
    {"libcache*:cache_hit=add64(arg5+0x60)", "cache_hit left alone: "},
    {"libcache*:cache_take=fetch_sub32(arg1+0x74,arg0)", "cache_take left alone: "},
    {"libcache*:cache_take=fetch_sub32(arg0+0x74,arg2)", "cache_take left alone: "},
    {":main=add64(arg0)", "left alone: "},
    {"libc.so.6:environ=add64(arg0)", "environ left alone: is data"},
};

int main(void)
{
    static const char good[] = "libcache*:cache_miss=add64(arg0+0x68,arg1)";

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        static struct target t;
        char counters[512];
        long replaced;

        memset(&t, 0, sizeof(t));
        snprintf(counters, sizeof(counters), i % 2 ? "%s;%s" : "%2$s ; %1$s", rows[i].spec, good);
        t.counters = counters;
        target_run(&t, "cache-gcc-O2", (const char *[]){"2", "100", NULL});
        replaced = target_number(&t, "replaced");
        CHECK(t.status == 0, "%s: ended with %d: %s", counters, t.status, t.err);
        CHECK(target_lines(t.err) == 1, "%s: one line expected: '%s'", counters, t.err);
        CHECK(strncmp(t.err, "uncontend: UNCONTEND_COUNTERS: ", 31) == 0, "%s: '%s'", counters,
              t.err);
        CHECK(strstr(t.err, rows[i].part), "%s: should name '%s': '%s'", counters, rows[i].part,
              t.err);
        CHECK(replaced == 1, "%s: the good one should be replaced: %s", counters, t.err);
        TARGET_IS(&t, "hits", 300);
        TARGET_IS(&t, "wrong", 0);
    }
    return CHECK_PASS;
}
