// SPDX-License-Identifier: MIT
// Owns the project's one formatter: text into a caller's buffer. Never allocates, never reads the
// locale, async-signal-safe. Shared with the tool.
// Cost: one pass over the format and the bytes that come out; no allocation, no system call.
#ifndef UC_TEXT_H
#define UC_TEXT_H

#include <stdarg.h>
#include <stdbool.h>

#include "compiler.h"

struct uc_text {
    char *at;        // the buffer; always ends in NUL once something was added
    size_t length;   // bytes written, without the NUL
    size_t capacity; // of the buffer, > 0
    bool cut;        // something did not fit
};

#define UC_TEXT(buffer) ((struct uc_text){.at = (buffer), .capacity = sizeof(buffer)})

// %s %c %d %u %x %zu %lu %lx %p %%, and a width that pads %s on the right and numbers on the left.
void uc_text_add(struct uc_text *t, const char *format, ...) UC_PRINTF(2, 3);
void uc_text_addv(struct uc_text *t, const char *format, va_list args) UC_PRINTF(2, 0);

// Reads "123", "64K", "1M", "2G" (powers of 1024). The whole text must be a number: 0, -EINVAL for
// anything else, -ERANGE when it does not fit.
int uc_text_number(const char *s, uint64_t *value);

// A glob with * and ?; no brackets. True when the whole of s matches.
bool uc_text_glob(const char *pattern, const char *s);
// The same for a list "glob:glob" of patterns.
bool uc_text_glob_any(const char *patterns, const char *s);

// Copies s, cut to fit: always NUL-terminated. True when all of it fitted.
bool uc_text_copy(char *to, size_t capacity, const char *s);

#endif
