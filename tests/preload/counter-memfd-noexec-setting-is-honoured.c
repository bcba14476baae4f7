// SPDX-License-Identifier: MIT
// claim: with vm.memfd_noexec at 1 and at 2 the known function is still replaced, and exact.
#include <sched.h>

#include "lib/target.h"

static int with_setting(void *value)
{
    static struct target t;
    // The first child of the new namespace is the one that it is about.
    FILE *f = fopen("/proc/sys/vm/memfd_noexec", "w");

    if (!f || fputs(value, f) == EOF || fclose(f) == EOF)
        return CHECK_SKIPPED;
    target_run(&t, "ssl-gcc-O2", (const char *[]){"4", "1000", NULL});
    CHECK(t.status == 0, "ended with %d: %s", t.status, t.err);
    TARGET_IS(&t, "hits", 5000);
    TARGET_IS(&t, "replaced", 1);
    TARGET_IS(&t, "writes", 0);
    return CHECK_PASS;
}

// A process that has a new namespace for its children gets no second one.
static int in_namespace(void *value)
{
    if (unshare(CLONE_NEWPID) < 0)
        return CHECK_SKIPPED;
    return check_in_child(with_setting, value);
}

int main(void)
{
    static char *const values[] = {"1", "2"};

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        int status = check_in_child(in_namespace, values[i]);

        if (status == CHECK_SKIPPED)
            SKIP("no pid namespace, or vm.memfd_noexec cannot be set in it");
        CHECK_IS(status, CHECK_PASS);
    }
    return CHECK_PASS;
}
