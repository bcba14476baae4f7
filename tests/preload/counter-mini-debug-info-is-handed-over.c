// SPDX-License-Identifier: MIT
// claim: functions whose names are in mini debug info alone are found by the command, which tells
// the library where they are: replaced, exact, or left alone with the reason, as with their names.
// plain
// time: 120
#include "lib/target.h"

static const char *const flavors[] = {"gcc-O2", "gcc-Os", "gcc-O3", "gcc-cet", "clang-O2"};

static void run(struct target *t, const char *name, const char *first, const char *second,
                const char *third)
{
    target_run(t, "../../uncontend",
               (const char *[]){"run", "--", name, first, second, third, NULL});
    CHECK(t->status == 0, "%s ended with %d: %s", name, t->status, t->err);
}

static void check(const char *flavor)
{
    static struct target t;
    char name[64];

    // A known function, in the program's default settings.
    memset(&t, 0, sizeof(t));
    t.settings[0] = "UNCONTEND_VERBOSE=off";
    snprintf(name, sizeof(name), "mini/ssl-%s", flavor);
    run(&t, name, "4", "1000", NULL);
    CHECK(t.err[0] == '\0', "%s: stderr: '%s'", name, t.err);
    TARGET_IS(&t, "hits", 5000);
    TARGET_IS(&t, "replaced", 1);
    TARGET_IS(&t, "writes", 0);

    memset(&t, 0, sizeof(t));
    t.counters = "libcache*:cache_hit=add64(arg0+0x60);libcache*:cache_miss=add64(arg0+0x68,arg1)";
    snprintf(name, sizeof(name), "mini/cache-%s", flavor);
    run(&t, name, "4", "1000", NULL);
    CHECK(t.err[0] == '\0', "%s: stderr: '%s'", name, t.err);
    TARGET_IS(&t, "hits", 5000);
    TARGET_IS(&t, "wrong", 0);
    TARGET_IS(&t, "replaced", 2);
}

// A user's SPEC for a function with a cold part, whose name is in the mini debug info, too.
static void check_cold_part(void)
{
    static struct target t = {
        .counters = "libssl*:_ZN4bssl18ssl_update_counterEP10ssl_ctx_stRib=add32(arg1,1)"};

    run(&t, "mini/ssl-gcc-O2", "4", "1000", NULL);
    CHECK(t.err[0] == '\0', "stderr: '%s'", t.err);
    TARGET_IS(&t, "hits", 5000);
    TARGET_IS(&t, "replaced", 1);
}

// What only the names tell, and what the code tells.
static void check_refusals(void)
{
    static const struct {
        const char *program, *spec, *function, *reason;
    } rows[] = {
        {"mini/twin-gcc-O2", "libtwin*:twin_requests=add64(arg0+0x58)", "twin_requests",
         "shares its code"},
        {"mini/odd-gcc-O2", "libodd*:odd_cloned=add64(arg0+0x58)", "odd_cloned", "only as a clone"},
        {"mini/odd-gcc-O2", "libodd*:odd_inside=add64(arg0+0x58)", "odd_inside",
         "another symbol lies in its first bytes"},
        {"mini/twin-gcc-O2", "libtwin*:inlined_count=add64(arg0+0x70)", "inlined_count",
         "other code adds"},
        {"mini/odd-gcc-O2", "libodd*:odd_none=add64(arg0+0x58)", "odd_exported",
         "no such function"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        static struct target t;

        memset(&t, 0, sizeof(t));
        t.counters = rows[i].spec;
        run(&t, rows[i].program, rows[i].function, "4", "1000");
        CHECK(target_lines(t.err) == 1 && strstr(t.err, rows[i].reason), "%s: stderr: '%s'",
              rows[i].spec, t.err);
        TARGET_IS(&t, "count", 4000);
        TARGET_IS(&t, "replaced", 0);
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof(flavors) / sizeof(flavors[0]); i++)
        check(flavors[i]);
    check_cold_part();
    check_refusals();
    return CHECK_PASS;
}
