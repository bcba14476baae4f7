// SPDX-License-Identifier: MIT
// claim: functions named by SPECs, one for each kind of action, return what they did before
// and count exactly, from several threads, without a lock.
// matrix: code
// run: TEST_UNPATCHED=1 with=mdwe,no-memfd
// time: 60
#include "lib/target.h"

enum { THREADS = 4, CALLS = 10000, ALL = (THREADS + 1) * CALLS };

static const char specs[] = "%1$s:cache_hit=add64(arg0+0x60);"
                            "%1$s:cache_miss=add64(arg0+0x68,arg1);"
                            "%1$s:cache_ref=fetch_add32(arg0+0x70);"
                            " %1$s:cache_unref=sub32( arg0 + 0x70 , 1 ) ;"
                            "%1$s:cache_take=fetch_sub32(arg0+0x74,arg1);"
                            "%1$s:cache_hits=load64(arg0+96)";

static void check(const char *kind, const char *object, const char *flavor)
{
    static struct target t;
    char name[64], counters[1024];
    int unpatched = target_unpatched();

    memset(&t, 0, sizeof(t));
    snprintf(name, sizeof(name), "%s-%s", kind, flavor);
    snprintf(counters, sizeof(counters), specs, object);
    t.counters = counters;
    target_run(&t, name, (const char *[]){"4", "10000", NULL});
    CHECK(t.status == 0, "%s ended with %d: %s", name, t.status, t.err);
    CHECK(target_lines(t.err) == (unpatched ? 6 : 0), "%s: stderr: %s", name, t.err);
    TARGET_IS(&t, "hits", ALL);
    TARGET_IS(&t, "misses", (long)(THREADS + 1) * CALLS * (CALLS - 1) / 2);
    TARGET_IS(&t, "references", 1);
    TARGET_IS(&t, "taken", 3 * ALL);
    TARGET_IS(&t, "wrong", 0);
    TARGET_IS(&t, "writes", unpatched ? 6 * ALL : 0);
    TARGET_IS(&t, "calls", unpatched ? 0 : 7 * ALL);
    TARGET_IS(&t, "replaced", unpatched ? 0 : 6);
    TARGET_IS(&t, "wx", 0);
}

int main(void)
{
    static const char *const flavors[] = {"gcc-O2", "gcc-Os", "gcc-O3", "gcc-cet", "clang-O2"};

    for (size_t i = 0; i < sizeof(flavors) / sizeof(flavors[0]); i++) {
        check("cache", "libcache-*.so", flavors[i]);
        check("cache-static", "", flavors[i]);
    }
    // The program may also be named.
    check("cache-static", "cache-static-*", "gcc-O2");
    // Stripped, and its debug file beside it.
    check("cache", "libcache-debug-*", "debug-link");
    return CHECK_PASS;
}
