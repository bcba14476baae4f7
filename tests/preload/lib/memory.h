// SPDX-License-Identifier: MIT
// How much memory this process has, as the kernel counts it. In C and C++.
#ifndef MEMORY_H
#define MEMORY_H

#include "check.h"
#include <fcntl.h>

// mapped includes what is set aside and was never touched.
struct memory {
    long mapped_kib, resident_kib;
};

static inline struct memory memory_now(void)
{
    struct memory m;
    char text[64];
    int fd = CHECK_CALL(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
    ssize_t size = CHECK_CALL(read(fd, text, sizeof(text) - 1));

    close(fd);
    text[size] = '\0';
    CHECK(sscanf(text, "%ld %ld", &m.mapped_kib, &m.resident_kib) == 2, "%s", text);
    m.mapped_kib *= sysconf(_SC_PAGESIZE) / 1024;
    m.resident_kib *= sysconf(_SC_PAGESIZE) / 1024;
    return m;
}

#endif
