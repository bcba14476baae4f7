// SPDX-License-Identifier: MIT
// claim: with UNCONTEND_STRICT a setting, a signal or a counter specification that cannot be used ends
// a program with status 125 before it starts, and without it the program runs
// plain
#include "lib/tool.h"

static int run(const char *setting, const char *strict)
{
    pid_t pid = CHECK_CALL(fork());

    if (pid == 0) {
        char preload[4200], one[64], two[32];
        char *argv[] = {"/bin/true", NULL};
        char *env[] = {preload, one, two, NULL};

        snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", tool_from("UC_TEST_LIB"));
        snprintf(one, sizeof(one), "%s", setting);
        snprintf(two, sizeof(two), "UNCONTEND_STRICT=%s", strict);
        close(STDERR_FILENO);
        execve(argv[0], argv, env);
        _exit(126);
    }
    return check_collect(pid);
}

int main(void)
{
    static const char *const bad[] = {
        "UNCONTEND_LOCKS=fast",
        "UNCONTEND_NONSENSE=1",
        "UNCONTEND_SIGNAL=KILL",
        "UNCONTEND_COUNTERS=no-spec",
        "UNCONTEND_COUNTERS=auto;:f=add32(arg9)",
    };

    check_deadline(20);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(run(bad[i], "on") == 125, "%s does not end the program", bad[i]);
        CHECK(run(bad[i], "off") == 0, "%s does harm", bad[i]);
    }
    CHECK_IS(run("UNCONTEND_LOCKS=spin", "on"), 0);
    return CHECK_PASS;
}
