// SPDX-License-Identifier: MIT
// claim: where there is nothing to show, `uncontend stat` says why, in one line and with status 1,
// and the process it was asked about lives on
// plain
#include "lib/tool.h"
#include <sys/prctl.h>

int main(int argc, char **argv)
{
    const char *pid;
    pid_t process, gone;
    int leash;

    if (argc > 1) {
        if (strcmp(argv[1], "private") == 0)
            CHECK_CALL(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
        tool_wait();
        return CHECK_PASS;
    }
    check_deadline(25);
    // This process has neither the library nor a handler: any signal of the usual ones would end
    // it.
    TOOL_IS(1, "the library is not loaded in process", "stat", tool_number(getpid()));

    process = tool_start("passive", (char *[]){"UNCONTEND_DISABLE=on", NULL}, &leash);
    pid = tool_number(process);
    TOOL_IS(1, "leaves it alone: UNCONTEND_DISABLE is on", "stat", pid);
    TOOL_IS(1, "leaves it alone", "stat", "-j", pid);
    CHECK_IS(TOOL("list"), 0);
    CHECK(strstr(tool_out, "passive"), "list: %s", tool_out);
    tool_end(process, leash);

    gone = CHECK_CALL(fork());
    if (gone == 0)
        _exit(0);
    CHECK_IS(check_collect(gone), 0);
    TOOL_IS(1, "does not exist", "stat", tool_number(gone));
    TOOL_IS(1, "does not exist", "doctor", tool_number(gone));
    TOOL_IS(2, "not a process number", "stat", "haproxy");
    TOOL_IS(2, "not a process number", "stat", "0");
    TOOL_IS(2, "not a process number", "stat", "--", "-1");
    TOOL_IS(2, "one PID", "stat");
    TOOL_IS(2, "-w wants seconds", "stat", "-w", "often", pid);
    TOOL_IS(2, "is not an option", "stat", "-x", pid);
    TOOL_IS(2, "-j and -p exclude each other", "stat", "-jp", tool_number(getpid()));
    TOOL_IS(2, "-j and -p exclude each other", "stat", "-p", "-j", tool_number(getpid()));

    process = tool_start("private", NULL, &leash);
    pid = tool_number(process);
    if (getuid() == 0) {
        TOOL_IS(0, "", "stat", pid); // root may
        pid_t child = CHECK_CALL(fork());
        if (child == 0) {
            // The way there may be closed to others, as below /root.
            char *tool = strdup(tool_from("UC_TEST_TOOL"));
            char *name = strrchr(tool, '/');
            *name = '\0';
            CHECK_CALL(chdir(tool));
            CHECK_CALL(asprintf(&tool, "./%s", name + 1));
            setenv("UC_TEST_TOOL", tool, 1);
            CHECK_CALL(setgid(65534));
            CHECK_CALL(setuid(65534));
            TOOL_IS(1, "not allowed to read process", "stat", pid);
            TOOL_IS(1, "not allowed", "doctor", pid);
            _exit(0);
        }
        CHECK_IS(check_collect(child), 0);
    } else {
        TOOL_IS(1, "not allowed to read process", "stat", pid);
    }
    tool_end(process, leash);
    return CHECK_PASS;
}
