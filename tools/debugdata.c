// SPDX-License-Identifier: MIT
// Owns the decompressed image.
#include "debugdata.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

enum { MOST = 1 << 28 }; // bytes, of the image and of the decoder's memory

// Room for twice as much; false: no more than MOST, or no memory.
static bool grow(lzma_stream *s, uint8_t **image, size_t *size)
{
    size_t larger = *size ? 2 * *size : 1 << 16;
    uint8_t *p = larger <= MOST ? realloc(*image, larger) : NULL;
    if (!p)
        return false;
    *image = p;
    s->next_out = p + s->total_out;
    s->avail_out = larger - s->total_out;
    *size = larger;
    return true;
}

static int decompress(struct uc_bytes from, uint8_t **image, size_t *size)
{
    lzma_stream s = LZMA_STREAM_INIT;
    size_t room = 0;
    lzma_ret r = lzma_stream_decoder(&s, MOST, LZMA_CONCATENATED);
    s.next_in = from.at;
    s.avail_in = from.n;
    while (r == LZMA_OK) {
        if (s.avail_out == 0 && !grow(&s, image, &room))
            r = LZMA_MEM_ERROR;
        else
            r = lzma_code(&s, LZMA_FINISH);
    }
    *size = s.total_out;
    lzma_end(&s);
    if (r == LZMA_STREAM_END)
        return 0;
    return r == LZMA_MEM_ERROR || r == LZMA_MEMLIMIT_ERROR ? -ENOMEM : -EBADMSG;
}

int uc_debugdata_open(const struct uc_elf *file, struct uc_debugdata *d)
{
    struct uc_bytes packed = uc_elf_section(file, ".gnu_debugdata");
    uint8_t *image = NULL;
    size_t size = 0;
    *d = (struct uc_debugdata){0};
    if (!packed.at)
        return -ENOENT;
    int r = decompress(packed, &image, &size);
    if (r == 0 && uc_elf_open(&d->elf, image, size) < 0)
        r = -EBADMSG;
    if (r == 0 && !d->elf.symtab.at)
        r = -ENOENT;
    if (r == 0)
        d->image = image;
    else
        free(image);
    return r;
}

void uc_debugdata_close(struct uc_debugdata *d)
{
    free(d->image);
    d->image = NULL;
}
