// SPDX-License-Identifier: MIT
// claim: a child gives back a read lock that another thread of its parent holds: it is free there,
// and held in the parent
// matrix: locks
#include "lib/holder.h"

#include <sys/wait.h>

static pthread_rwlock_t lock;

int main(void)
{
    pid_t child;
    int status;

    locks_deadline();
    holder_begin(&lock);
    child = CHECK_CALL(fork());
    if (child == 0) {
        CHECK_IS(pthread_rwlock_unlock(&lock), 0);
        CHECK_IS(pthread_rwlock_trywrlock(&lock), 0);
        _exit(0);
    }
    CHECK_IS(waitpid(child, &status, 0), child);
    CHECK_IS(status, 0);
    CHECK_IS(pthread_rwlock_trywrlock(&lock), EBUSY);
    release(&lock);
    CHECK_IS(pthread_rwlock_trywrlock(&lock), 0);
    release(&lock);
    holder_end();
    return CHECK_PASS;
}
