// SPDX-License-Identifier: MIT
// claim: when all pages that a fork would empty are emptied without one, threads keep their locks,
// and the process goes on counting
// run: UNCONTEND_TEST_EAGER_BIAS=on
// old-kernel: none, no page is emptied in a fork there
//
// A word in such a page is how a child of a raw system call finds out that it is one.
#include "lib/dump.h"
#include "lib/locks.h"
#include "lib/maps.h"

static pthread_rwlock_t lock;
static struct actor holder;

static void empty_one(const struct maps_entry *entry, void *count)
{
    if (!maps_has(entry, "wf"))
        return;
    CHECK_CALL(madvise((void *)entry->from, entry->to - entry->from, MADV_DONTNEED));
    ++*(int *)count;
}

static void *write_elsewhere(void *unused)
{
    CHECK_IS(pthread_rwlock_trywrlock(&lock), EBUSY);
    return unused;
}

int main(void)
{
    uint64_t forks, reads;
    int emptied = 0;

    locks_deadline();
    actor_start(&holder);
    lock_warm(&lock);
    CHECK_IS(actor_do(&holder, pthread_rwlock_rdlock, &lock), 0);
    forks = dump_stat(UC_STAT_FORKS);
    reads = dump_stat(UC_STAT_LOCK_READ_FAST) + dump_stat(UC_STAT_LOCK_READ_GLIBC);
    maps_visit(getpid(), 1, empty_one, &emptied);
    CHECK(emptied > 0, "no page is emptied in a fork");
    // A thread that is new to the library asks whether there was a fork, and so does a writer.
    check_join(check_thread(write_elsewhere, NULL));
    CHECK_IS(pthread_rwlock_trywrlock(&lock), EBUSY);
    CHECK_IS(dump_stat(UC_STAT_FORKS), forks);
    CHECK(dump_stat(UC_STAT_LOCK_READ_FAST) + dump_stat(UC_STAT_LOCK_READ_GLIBC) >= reads,
          "the counts started anew");
    CHECK_IS(actor_do(&holder, pthread_rwlock_unlock, &lock), 0);
    CHECK_IS(pthread_rwlock_trywrlock(&lock), 0);
    release(&lock);
    return CHECK_PASS;
}
