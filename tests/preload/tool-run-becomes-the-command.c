// SPDX-License-Identifier: MIT
// claim: `uncontend run` becomes the command: its pid, descriptors, arguments and status, with the
// library in front of what was preloaded, and fails with 125, 126 and 127 as env(1) does
// plain
#include "lib/tool.h"

int main(void)
{
    const char *library = tool_from("UC_TEST_LIB");
    char expected[4200];
    pid_t pid;
    int out[2];

    check_deadline(25);
    // The pid of `sh` is the pid that was forked for the command.
    CHECK_CALL(pipe2(out, O_CLOEXEC));
    pid = CHECK_CALL(fork());
    if (pid == 0) {
        dup2(out[1], STDOUT_FILENO);
        tool_become((const char *const[]){"run", "--", "sh", "-c", "echo $$; exit 42", NULL});
    }
    close(out[1]);
    tool_out[check_read(out[0], tool_out, sizeof(tool_out) - 1)] = '\0';
    CHECK_IS(check_collect(pid), 42);
    CHECK_IS(atoi(tool_out), pid);

    TOOL_IS(-SIGUSR2, "", "run", "sh", "-c", "kill -USR2 $$");
    TOOL_IS(0, "", "run", "echo", "-o", "--", "a b");
    CHECK(strcmp(tool_out, "-o -- a b\n") == 0, "arguments: %s", tool_out);

    snprintf(expected, sizeof(expected), "%s\n", library);
    TOOL_IS(0, "", "run", "sh", "-c", "echo $LD_PRELOAD");
    CHECK(strcmp(tool_out, expected) == 0, "LD_PRELOAD: %s", tool_out);
    setenv("LD_PRELOAD", "", 1);
    TOOL_IS(0, "", "run", "sh", "-c", "echo $LD_PRELOAD");
    CHECK(strcmp(tool_out, expected) == 0, "LD_PRELOAD: %s", tool_out);
    setenv("LD_PRELOAD", "libc.so.6 libdl.so.2", 1);
    snprintf(expected, sizeof(expected), "%s:libc.so.6 libdl.so.2\n", library);
    TOOL_IS(0, "", "run", "sh", "-c", "echo \"$LD_PRELOAD\"");
    CHECK(strcmp(tool_out, expected) == 0, "LD_PRELOAD: %s", tool_out);
    setenv("LD_PRELOAD", library, 1);
    snprintf(expected, sizeof(expected), "%s\n", library);
    TOOL_IS(0, "", "run", "sh", "-c", "echo $LD_PRELOAD");
    CHECK(strcmp(tool_out, expected) == 0, "preloaded twice: %s", tool_out);
    unsetenv("LD_PRELOAD");
    // The object with the names of the RAND_bytes family, only when it is asked for.
    snprintf(expected, sizeof(expected), "%s:%.*s-rand.so\n", library, (int)strlen(library) - 3,
             library);
    TOOL_IS(0, "", "run", "-o", "rand_bytes=on", "sh", "-c", "echo $LD_PRELOAD");
    CHECK(strcmp(tool_out, expected) == 0, "LD_PRELOAD: %s", tool_out);
    setenv("UNCONTEND_RAND_BYTES", "1", 1);
    TOOL_IS(0, "", "run", "sh", "-c", "echo $LD_PRELOAD");
    CHECK(strcmp(tool_out, expected) == 0, "LD_PRELOAD: %s", tool_out);
    unsetenv("UNCONTEND_RAND_BYTES");

    TOOL_IS(0, "", "run", "-o", "random=drbg", "-oUNCONTEND_LOCKS=spin", "-o", "DUMP_FILE=a=b",
            "--", "sh", "-c", "echo $UNCONTEND_RANDOM $UNCONTEND_LOCKS $UNCONTEND_DUMP_FILE");
    CHECK(strcmp(tool_out, "drbg spin a=b\n") == 0, "settings: %s", tool_out);

    TOOL_IS(125, "no such setting", "run", "-o", "NAME=1", "true");
    TOOL_IS(125, "NAME=VALUE", "run", "-o", "random", "true");
    TOOL_IS(125, "UNCONTEND_RANDOM", "run", "-o", "random=dice", "true");
    TOOL_IS(125, "COMMAND is missing", "run");
    TOOL_IS(125, "COMMAND is missing", "run", "-o", "random=drbg", "--");
    TOOL_IS(125, "is not an option", "run", "-x", "true");
    TOOL_IS(125, "lacks its value", "run", "-o");
    TOOL_IS(125, "cannot use", "run", "--library", "/no/such.so", "true");
    TOOL_IS(125, "not a library", "run", "--library", "/etc/passwd", "true");
    setenv("PATH", "/usr/bin:/bin", 1); // a folder in it that may not be entered makes this 126
    TOOL_IS(127, "no such command", "run", "no-such-command-anywhere");
    TOOL_IS(127, "no such command", "run", "");
    TOOL_IS(126, "cannot run", "run", "/etc/passwd");
    TOOL_IS(126, "cannot run", "run", "/etc");
    setenv("UNCONTEND_LOCK", "on", 1);
    TOOL_IS(125, "UNCONTEND_LOCK", "run", "true");
    return CHECK_PASS;
}
