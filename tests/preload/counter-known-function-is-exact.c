// SPDX-License-Identifier: MIT
// claim: AWS-LC's hidden counter function, in a library or in the program, as built by two
// compilers in five ways, counts N threads times M calls exactly and takes no write lock any more.
// matrix: code
// run: TEST_UNPATCHED=1 with=mdwe,no-memfd
// run: UNCONTEND_LOCKS=spin
// time: 60
#include "lib/target.h"

enum { THREADS = 4, CALLS = 40000 };

static void check(const char *kind, const char *flavor)
{
    static struct target t;
    char name[64];
    long called = 2L * THREADS * CALLS;

    memset(&t, 0, sizeof(t));
    snprintf(name, sizeof(name), "%s-%s", kind, flavor);
    target_run(&t, name, (const char *[]){"4", "40000", NULL});
    CHECK(t.status == 0, "%s ended with %d: %s", name, t.status, t.err);
    CHECK(t.err[0] == '\0', "%s: stderr should be empty: %s", name, t.err);
    // Under the caller's lock, main counts CALLS hits more.
    TARGET_IS(&t, "hits", THREADS * CALLS + CALLS);
    TARGET_IS(&t, "accepts", THREADS * CALLS);
    TARGET_IS(&t, "replaced", target_unpatched() ? 0 : 1);
    TARGET_IS(&t, "writes", target_unpatched() ? called : 0);
    TARGET_IS(&t, "calls", target_unpatched() ? 0 : called + CALLS);
    TARGET_IS(&t, "wx", 0);
}

int main(void)
{
    static const char *const flavors[] = {"gcc-O2", "gcc-Os", "gcc-O3", "gcc-cet", "clang-O2"};

    for (size_t i = 0; i < sizeof(flavors) / sizeof(flavors[0]); i++) {
        check("ssl", flavors[i]);
        check("ssl-static", flavors[i]);
    }
    return CHECK_PASS;
}
