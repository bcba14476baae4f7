// SPDX-License-Identifier: MIT
// Owns the view from outside: finds the library in another process and reads its statistics. Only
// ever reads; the process does not notice, whatever namespaces, chroot or privileges it has. What
// it reads may be hostile: every range is checked.
// Cost: opening is a search for the symbol (symbol.h), once; a reading some system calls and one
// for each 512 records, and two for each thread that ever waited. The process itself pays nothing,
// and is not stopped.
#ifndef UC_PROCESS_H
#define UC_PROCESS_H

#include <sys/types.h>

#include "hotlist.h"
#include "render.h"
#include "text.h"

enum { UC_PROCESS_STATUS = 256 };

struct uc_process {
    pid_t pid;
    uint64_t root_at; // address of uncontend_root in there
    struct uc_root root;
    struct uc_view view; // its hot locks have no names
    struct uc_hotlist hot;
    bool inherited; // counts still include those of the process that it was forked from
};

// 0, or a negative errno with one sentence in *why:
// -ESRCH no such process, or it went away; -EPERM not allowed to look; -ENOENT the library is not
// loaded there; -ENOTSUP it is, in a form that this tool does not read.
int uc_process_open(struct uc_process *p, pid_t pid, struct uc_text *why);

// Takes p->view anew. -EAGAIN: the process is another program now (exec); open it again. The other
// errors as above. With root.active == 0 there is nothing but p->root.
int uc_process_read(struct uc_process *p, struct uc_text *why);

// Exactly n bytes at an address of the process: 0 or a negative errno.
int uc_process_peek(pid_t pid, uint64_t at, void *to, size_t n);

// A field of /proc/PID/status, what follows the colon; false, and "": it is not there.
bool uc_process_status(pid_t pid, const char *field, char value[UC_PROCESS_STATUS]);

#endif
