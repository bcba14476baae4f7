// SPDX-License-Identifier: MIT
// claim: a signal that cannot be used is told in one line that names what is used instead, and
// with UNCONTEND_STRICT stops the program before main
// run: UNCONTEND_SIGNAL=none
#include "lib/dump.h"

static char said[1 << 16];

static void expect(char *setting, char *strict, int status, int lines)
{
    char *settings[] = {setting, strict, NULL};
    int got = dump_again("child", settings, said, sizeof(said));

    CHECK(got == status && dump_occurrences(said, "\n") == lines, "%s: status %d, said: %s",
          setting, got, said);
    if (lines > 0)
        CHECK(strstr(said, strchr(setting, '=') + 1) && strstr(said, "UNCONTEND_SIGNAL") &&
                  strstr(said, "uncontend: ") == said,
              "%s: said: %s", setting, said);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        FILE *f = fopen("/proc/self/status", "r");
        char line[256];
        unsigned long long bits = 0;

        while (f && fgets(line, sizeof(line), f))
            if (sscanf(line, "SigCgt: %llx", &bits) == 1)
                break;
        return bits == 1ULL << (SIGUSR1 - 1) ? 55 : 56;
    }
    check_deadline(20);
    expect("UNCONTEND_SIGNAL=USR1", "A=", 55, 0);
    expect("UNCONTEND_SIGNAL=KILL", "A=", 55, 1);
    expect("UNCONTEND_SIGNAL=SEGV", "A=", 55, 1);
    expect("UNCONTEND_SIGNAL=USR9", "A=", 55, 1);
    expect("UNCONTEND_SIGNAL=32", "A=", 55, 1);
    expect("UNCONTEND_SIGNAL=RTMAX+1", "A=", 55, 1);
    expect("UNCONTEND_SIGNAL=USR9", "UNCONTEND_STRICT=on", 125, 1);
    expect("UNCONTEND_SIGNAL=RTMIN", "UNCONTEND_STRICT=on", 56, 0);
    return CHECK_PASS;
}
