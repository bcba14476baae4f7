// SPDX-License-Identifier: MIT
// claim: with UNCONTEND_DUMP_AT_EXIT a program that exits leaves one dump, and a program that was
// told to be left alone leaves none
// run: UNCONTEND_SIGNAL=none
#include "lib/dump.h"

static char said[1 << 16];

static void expect(char *first, char *second, const char *role, int status, int dumps)
{
    char *settings[] = {first, second, NULL};
    int got = dump_again(role, settings, said, sizeof(said));

    CHECK(got == status && dump_occurrences(said, DUMP_HEAD) == dumps,
          "%s %s: status %d, %d dumps: %s", first, role, got, dump_occurrences(said, DUMP_HEAD),
          said);
}

static void *leave(void *unused)
{
    (void)unused;
    exit(7);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "thread") == 0)
        check_join(check_thread(leave, NULL));
    if (argc > 1)
        return 7;
    check_deadline(20);
    expect("UNCONTEND_DUMP_AT_EXIT=on", "UNCONTEND_SIGNAL=USR1", "return", 7, 1);
    expect("UNCONTEND_DUMP_AT_EXIT=on", "UNCONTEND_SIGNAL=none", "return", 7, 1);
    expect("UNCONTEND_DUMP_AT_EXIT=on", "UNCONTEND_SIGNAL=none", "thread", 7, 1);
    expect("UNCONTEND_DUMP_AT_EXIT=off", "UNCONTEND_SIGNAL=none", "return", 7, 0);
    expect("UNCONTEND_DUMP_AT_EXIT=on", "UNCONTEND_DISABLE=on", "return", 7, 0);
    return CHECK_PASS;
}
