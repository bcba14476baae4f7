// SPDX-License-Identifier: MIT
// Owns the list of files that make up a program: what its dynamic linker would load, or what a
// process has mapped.
// Cost: one run of the dynamic linker, or what maps.h says.
#ifndef UC_OBJECTS_H
#define UC_OBJECTS_H

#include <stdbool.h>
#include <sys/types.h>

// Called with each file, the program first.
typedef void uc_objects_fn(void *context, const char *path, bool program);

// The program and all that its dynamic linker would load; it runs the linker, not the program.
// False: the linker is not one of the system's, and the program alone was given.
bool uc_objects_of_command(const char *path, const char *linker, uc_objects_fn *fn, void *context);

// All that is mapped in a process. False: not allowed to see.
bool uc_objects_of_process(pid_t pid, uc_objects_fn *fn, void *context);

// True of the C library's own files, by the last part of their paths.
bool uc_objects_is_libc(const char *name);

#endif
