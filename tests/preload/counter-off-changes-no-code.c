// SPDX-License-Identifier: MIT
// claim: with UNCONTEND_COUNTERS=off, or with the library disabled, no code is changed.
// matrix: code
#include "lib/target.h"

static void check(const char *setting, const char *other)
{
    static struct target t;

    memset(&t, 0, sizeof(t));
    t.settings[0] = setting;
    t.settings[1] = other;
    target_run(&t, "ssl-gcc-O2", (const char *[]){"4", "1000", NULL});
    CHECK(t.status == 0, "%s: ended with %d: %s", setting, t.status, t.err);
    CHECK(t.err[0] == '\0', "%s: stderr should be empty: %s", setting, t.err);
    TARGET_IS(&t, "hits", 5000);
    TARGET_IS(&t, "calls", 0);
    TARGET_IS(&t, "replaced", 0);
}

int main(void)
{
    check("UNCONTEND_COUNTERS=off", NULL);
    check("UNCONTEND_DISABLE=on", NULL);
    check("UNCONTEND_SKIP=ssl-*", "UNCONTEND_VERBOSE=off");
    check("UNCONTEND_ONLY=haproxy", NULL);
    return CHECK_PASS;
}
