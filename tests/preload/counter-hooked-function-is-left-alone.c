// SPDX-License-Identifier: MIT
// claim: a function that another tool hooked before us stays hooked, and one line says so.
// matrix: code
#include "lib/target.h"

int main(void)
{
    static struct target t = {
        .counters = "libodd*:odd_exported=add64(arg0+0x70)",
        .behind = "hooker.so",
    };

    target_run(&t, "odd-gcc-O2", (const char *[]){"odd_exported", "4", "1000", NULL});
    CHECK(t.status == 0, "ended with %d: %s", t.status, t.err);
    TARGET_IS(&t, "count", 4000);
    TARGET_IS(&t, "writes", 0); // the hook takes none
    TARGET_IS(&t, "calls", 0);
    TARGET_IS(&t, "replaced", 0);
    CHECK(target_lines(t.err) == 1 && strstr(t.err, "its code differs from its file"),
          "stderr: '%s'", t.err);

    // The same without the hook: it could have been replaced.
    memset(&t, 0, sizeof(t));
    t.counters = "libodd*:odd_exported=add64(arg0+0x70)";
    target_run(&t, "odd-gcc-O2", (const char *[]){"odd_exported", "4", "1000", NULL});
    TARGET_IS(&t, "count", 4000);
    TARGET_IS(&t, "calls", 4000);
    return CHECK_PASS;
}
