// SPDX-License-Identifier: MIT
// Owns the writing of code. No page is ever writable and executable, and no page of the program's
// loses its PROT_EXEC: changed code is prepared elsewhere and put in its place as a whole. So it
// works under PR_SET_MDWE and systemd's MemoryDenyWriteExecute, and where it does not, nothing has
// changed. For one thread at a time, not async-signal-safe.
// Cost: four system calls for each write and each page (memfd_create, write, mmap, close), more for
// a page that must lie near; the rehearsal two writes and an munmap. A replaced page is the
// process's own, no longer shared.
#ifndef UC_PATCH_H
#define UC_PATCH_H

#include "compiler.h"

// Finds a way to write code and rehearses it on a page of its own. 0; or why there is none, a
// negative errno, and then nothing below may be called. Once.
int uc_patch_start(void);

// Puts n bytes at `at`, inside read-execute pages of which at most two are touched. 0 or a negative
// errno: nothing has changed.
int uc_patch_write(void *at, const void *bytes, size_t n);

// A new read-execute page that begins with these n bytes, within a direct jump's reach of `near`;
// anywhere when there is no room there. NULL: not even that.
void *uc_patch_page(uintptr_t near, const void *bytes, size_t n);

// True when a direct jump can lead from one to the other, a page's length included.
static inline int uc_patch_reaches(uintptr_t from, uintptr_t to)
{
    int64_t distance = (int64_t)(to - from);
    return distance > INT32_MIN + 2 * UC_PAGE && distance < INT32_MAX - 2 * UC_PAGE;
}

#endif
