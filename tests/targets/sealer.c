// SPDX-License-Identifier: MIT
// A program that seals its code: preloaded behind the library, so that its constructor runs before,
// it calls mseal(2) on the code of every object whose name holds SEAL. Says on stderr "cannot
// seal" where the kernel has no mseal (before 6.10).
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, MSEAL = 462 };

static int seal(struct dl_phdr_info *info, size_t size, void *name)
{
    (void)size;
    if (!strstr(info->dlpi_name, name))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        uintptr_t from = (info->dlpi_addr + p->p_vaddr) & ~(uintptr_t)(PAGE - 1);
        uintptr_t to = info->dlpi_addr + p->p_vaddr + p->p_memsz;
        size_t n = (to - from + PAGE - 1) & ~(size_t)(PAGE - 1);
        if (syscall(MSEAL, from, n, 0) != 0)
            fprintf(stderr, "cannot seal\n");
    }
    return 0;
}

__attribute__((constructor)) static void start(void)
{
    char *name = getenv("SEAL");
    if (name)
        dl_iterate_phdr(seal, name);
}
