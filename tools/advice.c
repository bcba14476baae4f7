// SPDX-License-Identifier: MIT
// Owns the reasons. Silence means that the defaults fit.
#include "advice.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "maps.h"
#include "process.h"

// As a number, 0 if it is not there.
static uint64_t status_of(pid_t pid, const char *field, int base)
{
    char value[UC_PROCESS_STATUS];
    return pid && uc_process_status(pid, field, value) ? strtoull(value, NULL, base) : 0;
}

static bool is_on(const char *name)
{
    const char *value = getenv(name);
    return value && (strcmp(value, "on") == 0 || strcmp(value, "1") == 0);
}

static bool advise_rand_bytes(const struct uc_imports *m, pid_t pid)
{
    const char *users = uc_imports_users(m, "RAND_bytes");
    bool on = pid ? uc_maps_have(pid, "libuncontend-rand", NULL) : is_on("UNCONTEND_RAND_BYTES");
    if (users)
        uc_doctor_line(on ? "ok" : "note",
                       on ? "UNCONTEND_RAND_BYTES=on: RAND_bytes is taken over for %s"
                          : "UNCONTEND_RAND_BYTES=on takes over RAND_bytes, called by %s, unless "
                            "FIPS matters to you",
                       users);
    return users != NULL;
}

static bool advise_signal(pid_t pid, bool loaded)
{
    bool caught = status_of(pid, "SigCgt", 16) >> (SIGUSR1 - 1) & 1;
    if (caught && !loaded)
        uc_doctor_line("note", "UNCONTEND_SIGNAL=RTMIN+3, or none: the program has its own use of "
                               "SIGUSR1, which would dump as well");
    return caught && !loaded;
}

static bool advise_sandbox(pid_t pid)
{
    bool filtered = status_of(pid, "Seccomp", 10) != 0;
    if (filtered)
        uc_doctor_line("note", "UNCONTEND_LOCKS=spin, if its filter kills on membarrier");
    return filtered;
}

void uc_advice_print(const struct uc_imports *m, pid_t pid, bool loaded)
{
    bool any = false;
    puts("settings");
    any |= advise_rand_bytes(m, pid);
    any |= advise_signal(pid, loaded);
    any |= advise_sandbox(pid);
    if (!any)
        uc_doctor_line("ok", "the defaults fit: LOCKS=on, COUNTERS=auto, SIGNAL=USR1");
    uc_doctor_line("-", "what is waited for when it runs, and the counters behind that, 'uncontend "
                        "stat' tells");
}
