// SPDX-License-Identifier: MIT
// Owns the search for an exported symbol in another process, by the symbol tables that are mapped
// there: right also where the file is gone, replaced, or in another mount namespace.
// Cost: what maps.h says, and some ten system calls for each object until one has it. Our own are
// asked first, by name.
#ifndef UC_SYMBOL_H
#define UC_SYMBOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The address of a symbol of that name and at least that size. 0; -ENOENT: no object defines
// it; -ESRCH, -EPERM, -EACCES: as the kernel says; -EFAULT: the process changed meanwhile.
int uc_symbol_find(pid_t pid, const char *name, size_t size, uint64_t *address);

// The same in the one object that is mapped at base.
int uc_symbol_find_in(pid_t pid, uint64_t base, const char *name, uint64_t *address);

#endif
