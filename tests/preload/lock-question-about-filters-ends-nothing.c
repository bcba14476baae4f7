// SPDX-License-Identifier: MIT
// claim: a program that asks whether the kernel knows system call filters, by setting up none, gets
// the kernel's answer and keeps reader bias
// run: UNCONTEND_LOCKS=on
// old-kernel: none, there is no reader bias there
#include "lib/dump.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { READS = 100000 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void check_biased(const char *after)
{
    uint64_t before = dump_stat(UC_STAT_LOCK_READ_FAST);

    for (int i = 0; i < READS; i++) {
        CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
        CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    }
    CHECK(dump_stat(UC_STAT_LOCK_READ_FAST) > before, "after %s locks are %s: %s", after,
          dump_root()->locks.name, dump_root()->locks.reason);
}

int main(void)
{
    check_deadline(25);
    check_biased("nothing");
    CHECK_IS(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0), -1);
    CHECK_IS(errno, EFAULT);
    check_biased("prctl");
    CHECK_IS(syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0), -1);
    CHECK_IS(errno, EFAULT);
    CHECK_IS(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL), -1);
    CHECK_IS(errno, EFAULT);
    check_biased("syscall");
    return CHECK_PASS;
}
