// SPDX-License-Identifier: MIT
// claim: `uncontend stat` of a process that has the library mapped and has not run it yet waits until
// it has
// plain
#include "lib/tool.h"
#include <sys/syscall.h>

// The command has looked once, in vain, and sleeps.
static void until_sleeping(pid_t pid)
{
    char path[64], line[64];

    snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
    for (;;) {
        FILE *f = fopen(path, "r");

        CHECK(f != NULL, "the command has ended: it did not wait");
        CHECK(fgets(line, sizeof(line), f), "the command has ended: it did not wait");
        fclose(f);
        if (atoi(line) == SYS_clock_nanosleep || atoi(line) == SYS_nanosleep)
            return;
        sched_yield();
    }
}

int main(void)
{
    char preload[8500], wait[32], *slash;
    const char *library = tool_from("UC_TEST_LIB");
    int leave[2], said[2];
    pid_t target, command;

    check_deadline(25);
    snprintf(preload, sizeof(preload), "%s", library);
    slash = strrchr(preload, '/');
    snprintf(slash, sizeof(preload) - (size_t)(slash - preload),
             "/libuncontend.so:%.*s/tests/fault/waits-in-constructor.so", (int)(slash - preload),
             library);
    CHECK_CALL(pipe(leave));
    CHECK_CALL(pipe2(said, O_CLOEXEC));
    snprintf(wait, sizeof(wait), "%d", leave[0]);
    target = CHECK_CALL(fork());
    if (target == 0) {
        setenv("LD_PRELOAD", preload, 1);
        setenv("WAIT_ON", wait, 1);
        setenv("UNCONTEND_SIGNAL", "none", 1);
        execlp("sleep", "sleep", "20", NULL);
        _exit(125);
    }
    command = CHECK_CALL(fork());
    if (command == 0) {
        dup2(said[1], STDOUT_FILENO);
        tool_become((const char *const[]){"stat", "-j", tool_number(target), NULL});
    }
    close(said[1]);
    until_sleeping(command);
    check_write(leave[1], "x", 1);
    tool_out[check_read(said[0], tool_out, sizeof(tool_out) - 1)] = '\0';
    CHECK_IS(check_collect(command), 0);
    CHECK(strstr(tool_out, "\"program\":\"sleep\""), "said: %s", tool_out);
    CHECK_CALL(kill(target, SIGKILL));
    CHECK_IS(check_collect(target), -SIGKILL);
    return CHECK_PASS;
}
