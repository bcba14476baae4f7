// SPDX-License-Identifier: MIT
// Early boot, as far as who asks not to wait can tell: the kernel's pool is never ready for
// GRND_NONBLOCK, and a call that may wait has always just waited long enough.
#include "fault.h"
#include <errno.h>
#include <sys/random.h>

__attribute__((constructor)) static void install(void)
{
    struct sock_filter code[] = {
        FAULT_LOAD(arch),
        FAULT_UNLESS(AUDIT_ARCH_X86_64, 5),
        FAULT_LOAD(nr),
        FAULT_UNLESS(SYS_getrandom, 3),
        FAULT_LOAD(args[2]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, GRND_NONBLOCK, 0, 1),
        FAULT_RETURN(SECCOMP_RET_ERRNO | EAGAIN),
        FAULT_RETURN(SECCOMP_RET_ALLOW),
    };

    fault_install(code, sizeof(code) / sizeof(code[0]));
}
