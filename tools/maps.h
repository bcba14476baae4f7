// SPDX-License-Identifier: MIT
// Owns the reading of /proc/PID/maps: which files a process has mapped, and where they begin.
// Cost: a readlink, and one pass over the file, which the kernel writes as it is read.
#ifndef UC_MAPS_H
#define UC_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// A mapping of a file's first bytes. The strings are the walk's own, and may be changed.
struct uc_mapped {
    uint64_t from, to;
    char *path;   // as the process's root has it; " (deleted)" behind it when it is gone
    char *name;   // its last part
    bool program; // the file that the process runs
};

// fn for each, by rising addresses, until it returns false. 0; -ESRCH: no such process; -EACCES:
// not allowed to look; or another errno.
typedef bool uc_maps_fn(void *context, const struct uc_mapped *m);
int uc_maps_each(pid_t pid, uc_maps_fn *fn, void *context);

// True when the name of a mapped file begins with prefix. *error (may be NULL): as above.
bool uc_maps_have(pid_t pid, const char *prefix, int *error);

#endif
