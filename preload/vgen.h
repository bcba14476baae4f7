// SPDX-License-Identifier: MIT
// Owns the vdso engine: the kernel's generator in the vDSO, called with one opaque state for each
// thread record, and long requests made out of its keys. Nothing is buffered here, so a fork, a
// clone of the virtual machine and a reseed of the kernel's pool are seen at every call. States
// are mapped as the kernel asks, which includes that a fork's child finds them empty.
// The caller set uc_tls.drawing: a handler's own draw must not enter the state.
// Cost: a short draw is the kernel's function and nothing else, one from UC_VGEN_LONG bytes on 32
// of its bytes and ChaCha20 for each 64 KiB. A system call only when the kernel has reseeded, for
// the fresh key.
#ifndef UC_VGEN_H
#define UC_VGEN_H

#include <stdbool.h>
#include <sys/types.h>

#include "thread.h"

// From here on one key from the vDSO is expanded. Measured: at 128 bytes the two ways cost the
// same.
enum { UC_VGEN_LONG = 160 };

typedef ssize_t uc_vgen_function(void *out, size_t n, unsigned flags, void *state, size_t size);

extern struct uc_vgen {
    uc_vgen_function *call; // answers as the system call does, with a negative errno
    size_t state_size;
} uc_vgen __attribute__((visibility("hidden")));

// Finds the function and makes the first states. 0; -ENOSYS: no such function; or another errno.
int uc_vgen_start(void);
// False: a fork during a long request could not be seen, so these are left to the vDSO as well.
bool uc_vgen_expands(void);

// Bytes, or a negative errno, as getrandom(2). -ENOMEM: no state for this thread.
// -ESTALE: interrupted by forks again and again. For both: ask the kernel.
long uc_vgen_draw(struct uc_thread *t, void *out, size_t n, unsigned flags);

// The state of the record with this index, emptied for its next owner.
void uc_vgen_wipe(uint32_t index);

#endif
