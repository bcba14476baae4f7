// SPDX-License-Identifier: MIT
// What systemd's MemoryDenyWriteExecute= installs: no mapping is made writable and executable at
// once, and none becomes executable later. mmap with both rights, mprotect and pkey_mprotect with
// PROT_EXEC, shmat with SHM_EXEC are refused.
#include "fault.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/shm.h>

#define AND(bits) BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (bits))

// Refused when all these bits are set in that argument.
#define RULE(call, argument, bits)                                                                 \
    FAULT_LOAD(nr), FAULT_UNLESS(call, 4), FAULT_LOAD(args[argument]), AND(bits),                  \
        FAULT_UNLESS(bits, 1), FAULT_RETURN(SECCOMP_RET_ERRNO | EPERM)

__attribute__((constructor)) static void install(void)
{
    struct sock_filter code[] = {
        RULE(SYS_mmap, 2, PROT_WRITE | PROT_EXEC), RULE(SYS_mprotect, 2, PROT_EXEC),
        RULE(SYS_pkey_mprotect, 2, PROT_EXEC),     RULE(SYS_shmat, 2, SHM_EXEC),
        FAULT_RETURN(SECCOMP_RET_ALLOW),
    };

    fault_install(code, sizeof(code) / sizeof(code[0]));
}
