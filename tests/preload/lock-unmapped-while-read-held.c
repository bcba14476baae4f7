// SPDX-License-Identifier: MIT
// claim: a read lock whose memory goes away while it is held is nobody's any more: a program that
// then shuts itself in lives, and its other locks work
// run: UNCONTEND_TEST_EAGER_BIAS=on
// run: UNCONTEND_TEST_EAGER_BIAS=off
// run: UNCONTEND_LOCKS=spin
//
// As of a data structure that is dropped as a whole, with its lock in it.
#include "lib/confine.h"
#include "lib/locks.h"

static pthread_rwlock_t stays;
static struct actor reader;

static int live(void *by_other)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    pthread_rwlock_t *goes =
        mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(goes != MAP_FAILED, "mmap: %s", strerror(errno));
    CHECK_IS(pthread_rwlock_init(goes, NULL), 0);
    actor_start(&reader);
    CHECK_IS(actor_do(&reader, warm_and_hold, &stays), 0);
    CHECK_IS(by_other ? actor_do(&reader, warm_and_hold, goes) : warm_and_hold(goes), 0);
    CHECK_CALL(munmap(goes, page));
    CONFINE(CONFINE_ALL_THREADS, SYS_membarrier);
    CHECK_IS(pthread_rwlock_trywrlock(&stays), EBUSY);
    CHECK_IS(actor_do(&reader, pthread_rwlock_unlock, &stays), 0);
    CHECK_IS(pthread_rwlock_trywrlock(&stays), 0);
    CHECK_IS(actor_do(&reader, pthread_rwlock_tryrdlock, &stays), EBUSY);
    release(&stays);
    return CHECK_PASS;
}

int main(void)
{
    static char by_other;

    locks_deadline();
    CHECK_IS(check_in_child(live, NULL), CHECK_PASS);
    CHECK_IS(check_in_child(live, &by_other), CHECK_PASS);
    return CHECK_PASS;
}
