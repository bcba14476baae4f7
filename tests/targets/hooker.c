// SPDX-License-Identifier: MIT
// Another tool that was there first: preloaded behind the library, so that its constructor runs
// before, it sends odd_exported() to a function of its own.
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "odd.h"

enum { PAGE = 4096 };

static void instead(struct odd_state *s)
{
    __atomic_fetch_add(&s->shown, 1, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void hook(void)
{
    uint8_t jump[14] = {0xff, 0x25}; // jmp *0(%rip), the address follows
    void (*to)(struct odd_state *) = instead;
    uint8_t *target = dlsym(RTLD_DEFAULT, "odd_exported");
    if (!target)
        return;
    memcpy(jump + 6, &to, sizeof to);
    uint8_t *page = (uint8_t *)((uintptr_t)target & ~(uintptr_t)(PAGE - 1));
    if (mprotect(page, 2 * (size_t)PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return;
    memcpy(target, jump, sizeof jump);
    mprotect(page, 2 * (size_t)PAGE, PROT_READ | PROT_EXEC);
}
