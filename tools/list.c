// SPDX-License-Identifier: MIT
// Owns `uncontend list`: one line for each process that has the library mapped.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maps.h"
#include "process.h"
#include "tool.h"

static int is_pid(const struct dirent *e)
{
    return uc_tool_pid(e->d_name) != 0;
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
    return uc_tool_pid((*a)->d_name) - uc_tool_pid((*b)->d_name);
}

static void print_line(int pid)
{
    static struct uc_process p;
    char buffer[512];
    char name[80] = "";
    char version[32] = "";
    char reason[160] = "";
    struct uc_text why = UC_TEXT(buffer);
    struct uc_text plain[] = {UC_TEXT(name), UC_TEXT(version), UC_TEXT(reason)};
    int r = uc_process_open(&p, pid, &why);
    if (r == -ESRCH || r == -ENOENT || r == -EAGAIN)
        return; // it went away, or is another program by now
    if (r < 0) {
        printf("%7d  %.69s\n", pid, buffer);
        return;
    }
    uc_render_plain(p.root.program, 24, &plain[0]);
    uc_render_plain(p.root.version, sizeof p.root.version, &plain[1]);
    uc_render_plain(p.root.whole.reason, 120, &plain[2]);
    if (p.root.active)
        printf("%7d  %-9s %-7s %9lu s  %s\n", pid, version, "active", p.view.up / 1000000000, name);
    else
        printf("%7d  %-9s %-7s %9s    %s: %.*s\n", pid, version, "passive", "-", name,
               (int)(38 - strlen(name)), plain[2].length ? reason : "not started yet");
}

int uc_tool_list(int argc, char **argv)
{
    struct dirent **entries;
    size_t hidden = 0;
    bool any = false;
    if (argc > 1)
        return uc_tool_misused("list: takes no argument, not %s", argv[1]);
    int n = scandir("/proc", &entries, is_pid, by_number);
    if (n < 0) {
        uc_tool_say("cannot read /proc: %s", strerror(errno));
        return UC_TOOL_FAILED;
    }
    for (int i = 0; i < n; i++) {
        int pid = uc_tool_pid(entries[i]->d_name);
        int error;
        if (uc_maps_have(pid, "libuncontend", &error)) {
            if (!any)
                puts("    PID  VERSION   STATE          UP    PROGRAM");
            any = true;
            print_line(pid);
        } else if (error == -EACCES) {
            hidden++;
        }
        free(entries[i]);
    }
    free(entries);
    if (hidden)
        uc_tool_say("%zu process%s could not be looked at: not allowed", hidden,
                    hidden == 1 ? "" : "es");
    return uc_tool_finish();
}
