// SPDX-License-Identifier: MIT
// claim: what threads waited for is still counted when they are gone, to the last one; the child of a
// fork begins with an empty table, and counts for itself
// run: UNCONTEND_LOCKS=on
// run: UNCONTEND_LOCKS=spin
// run: UNCONTEND_LOCKS=on with=no-membarrier
#include "lib/hot.h"

enum { THREADS = 100 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *write_once(void *unused)
{
    CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    return unused;
}

static void *read_once(void *unused)
{
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    return unused;
}

static void expect(const char *who, uint64_t writes, uint64_t reads)
{
    struct uc_hot w = hot_sum(&lock, true), r = hot_sum(&lock, false);

    CHECK(w.tries == writes && w.waits == writes && r.tries == reads && r.waits == reads,
          "%s: expected %lu writes and %lu reads that waited, got %lu (%lu slept) and %lu (%lu)",
          who, writes, reads, w.tries, w.waits, r.tries, r.waits);
}

static int child(void)
{
    expect("child", 0, 0);
    hot_wait_once(&lock, write_once);
    expect("child", 1, 0);
    return CHECK_PASS;
}

int main(void)
{
    pid_t pid;

    check_deadline(25);
    for (int i = 0; i < THREADS; i++)
        hot_wait_once(&lock, i % 2 ? write_once : read_once);
    expect("parent", THREADS / 2, THREADS / 2);
    pid = CHECK_CALL(fork());
    if (pid == 0)
        _exit(child());
    CHECK_IS(check_collect(pid), 0);
    pid = CHECK_CALL(_Fork());
    if (pid == 0) {
        hot_wait_once(&lock, read_once);
        expect("child of _Fork", 0, 1);
        _exit(CHECK_PASS);
    }
    CHECK_IS(check_collect(pid), 0);
    expect("parent again", THREADS / 2, THREADS / 2);
    return CHECK_PASS;
}
