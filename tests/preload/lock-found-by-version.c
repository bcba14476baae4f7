// SPDX-License-Identifier: MIT
// claim: exclusion holds against a writer that found libc's functions by dlvsym alone
// matrix: locks
//
// A preload's symbols have no version, so a search for one passes it by. The search comes when the
// lock has its fast readers.
#include "lib/found.h"

static pthread_rwlock_t early;
static struct actor reader;

int main(void)
{
    struct way found;

    locks_deadline();
    actor_start(&reader);
    lock_warm(&early);
    CHECK_IS(actor_do(&reader, pthread_rwlock_rdlock, &early), 0);
    found = find_way(RTLD_DEFAULT, "GLIBC_2.34");
    CHECK_IS(found.try_write(&early), EBUSY);
    CHECK_IS(actor_do(&reader, pthread_rwlock_unlock, &early), 0);
    CHECK_IS(found.try_write(&early), 0);
    CHECK_IS(actor_do(&reader, pthread_rwlock_tryrdlock, &early), EBUSY);
    CHECK_IS(found.unlock(&early), 0);
    versus(&plain_names, &found);
    found = find_way(RTLD_NEXT, "GLIBC_2.2.5");
    versus(&plain_names, &found);
    return 0;
}
