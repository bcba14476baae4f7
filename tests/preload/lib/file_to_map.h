// SPDX-License-Identifier: MIT
// Owns a file without a name for tests to map, on kernels without memory files, too.
#ifndef FILE_TO_MAP_H
#define FILE_TO_MAP_H

#include "check.h"
#include <fcntl.h>

// `flag` is O_CLOEXEC or 0.
static inline int file_to_map(int flag)
{
    int fd = memfd_create("to map", flag ? MFD_CLOEXEC : 0);

    if (fd < 0 && errno == ENOSYS)
        fd = open("/tmp", O_TMPFILE | O_RDWR | flag, 0600);
    return CHECK_CALL(fd);
}

#endif
