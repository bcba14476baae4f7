// SPDX-License-Identifier: MIT
// Owns what can be told about a program from its file: whether a preload reaches it, and how.
// Opens files for reading only, and runs nothing.
// Cost: looking maps a file and reads its headers; finding a command is one access for each folder
// of PATH.
#ifndef UC_BINARY_H
#define UC_BINARY_H

#include <limits.h>
#include <stdbool.h>

enum uc_binary_kind {
    UC_BINARY_LOADABLE, // LD_PRELOAD works
    UC_BINARY_SCRIPT,   // by an interpreter, which is another binary; without a #! line by a shell
    UC_BINARY_STATIC,   // no dynamic linker
    UC_BINARY_CLASS,    // 32 bits, or another CPU
    UC_BINARY_LIBC,     // another libc than the one that the library was built for
    UC_BINARY_SECURE,   // gains privileges: the dynamic linker ignores LD_PRELOAD
    UC_BINARY_EMPTY,    // not a byte
    UC_BINARY_OTHER,    // neither an ELF file nor text
};

struct uc_binary {
    enum uc_binary_kind kind;
    bool go;                    // made by the Go toolchain, whose runtime calls the kernel itself
    char interpreter[PATH_MAX]; // dynamic linker, or a script's interpreter with its argument
};

// 0, or a negative errno when the file cannot be read (the kind is then UC_BINARY_LOADABLE).
int uc_binary_look(const char *path, struct uc_binary *b);

// Follows scripts to the interpreter that is really started; `last` is its path, also that of one
// that cannot be used, or its name when it was to be looked for and is not there.
int uc_binary_follow(const char *path, struct uc_binary *b, char last[static PATH_MAX]);

// Why a preload does not reach it, as the end of a sentence that begins with the file's name.
// NULL where it does.
const char *uc_binary_obstacle(const struct uc_binary *b);

// What a preload does for a Go program that it reaches, as the end of such a sentence.
extern const char uc_binary_go[];

// 0, or a negative errno: the kernel could not use the file's dynamic linker.
int uc_binary_linker_error(const struct uc_binary *b);

// Finds a command as execvp(3) would. 0, -ENOENT, or -EACCES: found, but not executable.
int uc_binary_resolve(const char *command, char path[static PATH_MAX]);

#endif
