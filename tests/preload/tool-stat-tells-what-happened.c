// SPDX-License-Identifier: MIT
// claim: `uncontend stat` shows the very counts of a process, in each of its forms, and `list` and
// `doctor` find it; none of them signals it
// plain
#include "lib/dump.h"
#include "lib/tool.h"

enum { DUMPS = 7 };

static int target(void)
{
    for (int i = 0; i < DUMPS; i++)
        raise(SIGUSR1);
    tool_wait();
    CHECK_IS(dump_count(), DUMPS); // no signal came while it was looked at
    return CHECK_PASS;
}

int main(int argc, char **argv)
{
    char piece[128];
    const char *pid;
    pid_t process;
    int leash;

    if (argc > 1)
        return target();
    (void)argv;
    check_deadline(25);
    process = tool_start("target", (char *[]){"UNCONTEND_DUMP_FORMAT=json", NULL}, &leash);
    pid = tool_number(process);

    TOOL_IS(0, "", "stat", "-j", pid);
    CHECK_IS(tool_json(tool_out, "dumps"), DUMPS);
    CHECK_IS(tool_json(tool_out, "pid"), process);
    CHECK(strstr(tool_out, "\"program\":\"tool-stat-tells-what-happened\""), "%s", tool_out);

    TOOL_IS(0, "", "stat", pid);
    CHECK(strncmp(tool_out, "tool-stat-tells-what-happened  pid ", 35) == 0, "%s", tool_out);
    CHECK(strstr(tool_out, "\ndumps                                          7"), "%s", tool_out);
    CHECK(!strchr(tool_out, '\033'), "colours without a terminal: %s", tool_out);

    snprintf(piece, sizeof(piece),
             "\nuncontend_dumps_total{pid=\"%s\",program=\"tool-stat-tells-what-happened\"} 7\n",
             pid);
    TOOL_IS(0, "", "stat", "-p", pid);
    CHECK(strstr(tool_out, piece), "no %s in %s", piece, tool_out);

    TOOL_IS(0, "", "stat", "-j", "-w", "0.01", "-n", "5", pid);
    CHECK_IS(dump_occurrences(tool_out, "\n"), 5);
    TOOL_IS(0, "", "stat", "-w", "0.01", "-n", "2", pid);
    CHECK_IS(dump_occurrences(tool_out, "tool-stat-tells-what-happened  pid"), 2);

    CHECK_IS(TOOL("list"), 0);
    snprintf(piece, sizeof(piece), "%7s  ", pid);
    CHECK(strstr(tool_out, piece) && strstr(strstr(tool_out, piece), "active"), "no line %s: %s",
          piece, tool_out);
    TOOL_IS(0, "", "doctor", pid);
    CHECK(strstr(tool_out, "loaded and active"), "%s", tool_out);
    tool_end(process, leash);
    return CHECK_PASS;
}
