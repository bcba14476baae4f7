// SPDX-License-Identifier: MIT
// claim: builds of a known library whose function is atomic already, has another signature, or
// cannot be found because the library is stripped, work as before, and verbose mode says so;
// nothing else does.
// matrix: code
#include "lib/target.h"

static void check(const char *program, const char *settings, const char *said, long writes)
{
    static struct target t;

    memset(&t, 0, sizeof(t));
    t.settings[0] = settings;
    target_run(&t, program, (const char *[]){"4", "1000", NULL});
    CHECK(t.status == 0, "%s ended with %d: %s", program, t.status, t.err);
    TARGET_IS(&t, "hits", 5000);
    TARGET_IS(&t, "accepts", 4000);
    TARGET_IS(&t, "writes", writes);
    TARGET_IS(&t, "replaced", 0);
    if (said)
        CHECK(strstr(t.err, said), "%s: '%s' expected: %s", program, said, t.err);
    else
        CHECK(t.err[0] == '\0', "%s: stderr should be empty: %s", program, t.err);
}

int main(void)
{
    check("ssl-atomic", NULL, NULL, 0);
    check("ssl-atomic", "UNCONTEND_VERBOSE=on", "ssl_update_counter left alone: already atomic", 0);
    check("ssl-stripped", NULL, NULL, 8000);
    check("ssl-stripped", "UNCONTEND_VERBOSE=on", "ssl_update_counter left alone: stripped", 8000);
    check("ssl-other", NULL, NULL, 8000);
    check("ssl-other", "UNCONTEND_VERBOSE=on", "ssl_update_counter left alone: has another", 8000);
    return CHECK_PASS;
}
