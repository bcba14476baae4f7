// SPDX-License-Identifier: MIT
// For programs that start the library themselves: where it is, and a child that has it.
#ifndef PLAIN_H
#define PLAIN_H

#include "check.h"

// The library under test. The runner's own settings are taken out of the environment, because the
// library would report them as unknown.
static inline const char *plain_library(void)
{
    static char path[4096];
    const char *given = getenv("UC_TEST_LIB");

    CHECK(given && strlen(given) < sizeof(path), "UC_TEST_LIB is not set");
    strcpy(path, given);
    unsetenv("UC_TEST_LIB");
    unsetenv("UC_TEST_TOOL");
    unsetenv("UC_TEST_LONG");
    return path;
}

// Run argv, with the library preloaded unless that is NULL; does not return.
__attribute__((unused, noreturn)) static void plain_exec(const char *library, char *const argv[])
{
    if (library)
        setenv("LD_PRELOAD", library, 1);
    else
        unsetenv("LD_PRELOAD");
    execvp(argv[0], argv);
    if (errno == ENOENT)
        SKIP("%s is not installed", argv[0]);
    FAIL("exec of %s: %s", argv[0], strerror(errno));
}

#endif
