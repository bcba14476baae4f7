// SPDX-License-Identifier: MIT
// Another tool that was there first: preloaded behind the library, so that its constructor runs
// before, it sends odd_exported() to a function of its own.
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "odd.h"

enum { PAGE = 4096 };

static void instead(struct odd_state *s)
{
    __atomic_fetch_add(&s->shown, 1, __ATOMIC_RELAXED);
}

// By a memory file where pages cannot be made writable.
static void write_over(uint8_t *target, const uint8_t *bytes, size_t n)
{
    enum { EXECUTABLE = 0x10 }; // MFD_EXEC
    static uint8_t copy[2 * PAGE];
    uint8_t *page = (uint8_t *)((uintptr_t)target & ~(uintptr_t)(PAGE - 1));
    memcpy(copy, page, sizeof copy);
    memcpy(copy + (target - page), bytes, n);
    if (mprotect(page, sizeof copy, PROT_READ | PROT_WRITE) == 0) {
        memcpy(page, copy, sizeof copy);
        if (mprotect(page, sizeof copy, PROT_READ | PROT_EXEC) == 0)
            return;
    }
    int fd = memfd_create("hooker", EXECUTABLE);
    if (fd < 0)
        fd = memfd_create("hooker", 0);
    if (fd < 0 || write(fd, copy, sizeof copy) != (ssize_t)sizeof copy ||
        mmap(page, sizeof copy, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) != page)
        abort();
    close(fd);
}

__attribute__((constructor)) static void hook(void)
{
    uint8_t jump[14] = {0xff, 0x25}; // jmp *0(%rip), the address follows
    void (*to)(struct odd_state *) = instead;
    uint8_t *target = dlsym(RTLD_DEFAULT, "odd_exported");
    if (!target)
        return;
    memcpy(jump + 6, &to, sizeof to);
    write_over(target, jump, sizeof jump);
}
