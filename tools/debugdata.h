// SPDX-License-Identifier: MIT
// Owns the reading of mini debug info: the symbol table of a stripped file, compressed into its
// section .gnu_debugdata. Done here, not in the library, which has no use for a decompressor.
// Cost: the whole section is decompressed, into memory of its own: at most 256 MiB, else an error.
#ifndef UC_DEBUGDATA_H
#define UC_DEBUGDATA_H

#include "elfread.h"

struct uc_debugdata {
    struct uc_elf elf;
    void *image;
};

// 0; -ENOENT: the file has none, or one without symbols; -EBADMSG: it is damaged; -ENOMEM, also for
// one that is larger than any of its kind.
int uc_debugdata_open(const struct uc_elf *file, struct uc_debugdata *d);
void uc_debugdata_close(struct uc_debugdata *d);

#endif
