// SPDX-License-Identifier: MIT
// claim: where the program sealed its code by mseal, nothing changes and nothing breaks.
// matrix: code
#include "lib/target.h"

int main(void)
{
    static struct target t = {
        .counters = "libcache*:cache_hit=add64(arg0+0x60)",
        .behind = "sealer.so",
        .settings = {"SEAL=libcache"},
    };

    target_run(&t, "cache-gcc-O2", (const char *[]){"4", "1000", NULL});
    if (strstr(t.err, "cannot seal"))
        SKIP("the kernel has no mseal");
    CHECK(t.status == 0, "ended with %d: %s", t.status, t.err);
    TARGET_IS(&t, "hits", 5000);
    TARGET_IS(&t, "wrong", 0);
    TARGET_IS(&t, "replaced", 0);
    CHECK(target_lines(t.err) == 1 && strstr(t.err, "its page cannot be replaced"), "stderr: '%s'",
          t.err);
    return CHECK_PASS;
}
