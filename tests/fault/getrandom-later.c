// SPDX-License-Identifier: MIT
// A program that draws once and then enters a sandbox that forbids getrandom(). It does so where
// main() would begin: by then all libraries have started, the preloaded ones among them.
#include "fault.h"
#include <dlfcn.h>
#include <errno.h>
#include <sys/random.h>

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

start_function __libc_start_main;

int __libc_start_main(main_function *run, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*ldso_fini)(void), void *stack_end)
{
    start_function *real;
    char byte;

    *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    if (!real || getrandom(&byte, 1, 0) != 1)
        fault_impossible("no first draw");
    fault_prctl = prctl; // seen, as the program's own
    fault_refuse(SYS_getrandom, EPERM);
    return real(run, argc, argv, init, fini, ldso_fini, stack_end);
}
