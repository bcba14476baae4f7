// SPDX-License-Identifier: MIT
// Owns memory that a fork's child finds zeroed, and the one word that tells a child what it is.
// Cost: a map is an mmap and three madvise. Asking whether there was a fork is one load from a page
// that nobody writes; to make sure of one may take a getpid and an madvise.
#ifndef UC_WIPE_H
#define UC_WIPE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "compiler.h"

// Once, at start-up. 0, or why the kernel cannot be trusted with MADV_WIPEONFORK: a negative errno
// (-ENOTSUP when it "accepts" an advice that does not exist).
int uc_wipe_start(void);

// True when uc_wipe_map works here.
bool uc_wipe_works(void);

// n bytes (whole pages) of zeroed memory, marked MADV_WIPEONFORK and MADV_DONTDUMP; NULL when it
// cannot be had. Never given back.
void *uc_wipe_map(size_t n);

// In a process that was forked without anybody telling (by _Fork, by a raw system call) one
// caller gets true, before uc_wipe_fork_done. Always false where uc_wipe_works() is.
bool uc_wipe_claim_fork(void);
// False between a fork that nobody told of and uc_wipe_fork_done().
bool uc_wipe_fork_seen(void);
// True when, for all that a claimer knows, this is the process that it was: our pages were emptied,
// but not by a fork. A system call. False when that cannot be told.
bool uc_wipe_was_no_fork(void);
// True when this is certainly a fork's child, wherever uc_wipe_works() or not. A system call. False
// also when that cannot be told.
bool uc_wipe_was_fork(void);
// The claimer is done, or an atfork handler told of the fork. forked: it was one.
void uc_wipe_fork_done(bool forked);

#endif
