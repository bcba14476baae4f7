// SPDX-License-Identifier: MIT
// A kernel without the vDSO, as far as getauxval() can tell.
#include <dlfcn.h>
#include <errno.h>
#include <sys/auxv.h>

unsigned long getauxval(unsigned long type)
{
    static unsigned long (*real)(unsigned long);

    if (type == AT_SYSINFO_EHDR) {
        errno = ENOENT;
        return 0;
    }
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "getauxval");
    return real(type);
}
