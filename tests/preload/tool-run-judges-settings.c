// SPDX-License-Identifier: MIT
// claim: `uncontend run` and `env` judge every setting as the library would, signals and SPECs
// included, name the part that is wrong, and `run` starts nothing
// plain
#include "lib/tool.h"

static void refuse(const char *setting, const char *why)
{
    char variable[256];

    TOOL_IS(125, why, "run", "-o", setting, "--", "echo", "started");
    CHECK(!strstr(tool_out, "started"), "%s: started", setting);
    snprintf(variable, sizeof(variable), "UNCONTEND_%s", setting);
    putenv(variable);
    TOOL_IS(1, why, "env");
    unsetenv(strndupa(variable, strcspn(variable, "=")));
}

static void accept(const char *setting)
{
    TOOL_IS(0, "", "run", "-o", setting, "--", "echo", "started");
    CHECK(strstr(tool_out, "started"), "%s: not started", setting);
}

int main(void)
{
    check_deadline(25);
    refuse("SIGNAL=KILL", "UNCONTEND_SIGNAL='KILL' cannot be used (no program gets along");
    refuse("SIGNAL=USR9", "UNCONTEND_SIGNAL='USR9' cannot be used (a name, RTMIN+n, a number");
    refuse("SIGNAL=RTMAX+1", "UNCONTEND_SIGNAL='RTMAX+1'");
    refuse("COUNTERS=auto;lib.so:f=add9(arg0)", "'lib.so:f=add9(arg0)': operation: ");
    refuse("COUNTERS=lib.so:f=add32(arg9)", "'lib.so:f=add32(arg9)': address: ");
    refuse("COUNTERS=nothing", "'nothing': ");
    refuse("LOCKS=sometimes", "UNCONTEND_LOCKS='sometimes' cannot be used");
    accept("SIGNAL=none");
    accept("SIGNAL=RTMIN+3");
    accept("COUNTERS=off");
    accept("COUNTERS=auto");
    TOOL_IS(0, "", "env");
    return CHECK_PASS;
}
