// SPDX-License-Identifier: MIT
// What the fuzz targets share: a copy of the input that ends where the sanitizer's guard begins,
// and a check. A target must not print, nor remember anything from one input to the next.
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ(claim)                                                                                \
    do {                                                                                           \
        if (!(claim))                                                                              \
            __builtin_trap();                                                                      \
    } while (0)

// The input as a string of its own, NUL-terminated.
static inline char *fuzz_copy(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    FUZZ(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = 0;
    return text;
}

#endif
