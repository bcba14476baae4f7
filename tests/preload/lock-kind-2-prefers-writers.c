// SPDX-License-Identifier: MIT
// claim: with kind 2 readers, recursive ones too, stay behind a writer that waits
// matrix: locks
#include "lib/locks.h"

static struct actor first, second, writer;

static pthread_rwlock_t by_attribute;
static pthread_rwlock_t by_initialiser = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void check_refused(struct actor *actor, pthread_rwlock_t *lock, const char *who)
{
    int busy = actor_do(actor, pthread_rwlock_tryrdlock, lock);
    int late = actor_do(actor, timed_read_short, lock);
    int late_too = actor_do(actor, monotonic_read_short, lock);

    CHECK(busy == EBUSY && late == ETIMEDOUT && late_too == ETIMEDOUT,
          "%s: try %d, timed %d, clock %d", who, busy, late, late_too);
}

static void stand_behind_writer(pthread_rwlock_t *lock, const struct form *reading)
{
    lock_warm(lock);
    CHECK_IS(actor_do(&first, pthread_rwlock_rdlock, lock), 0);
    actor_ask(&writer, pthread_rwlock_wrlock, lock);
    CHECK_BLOCKS(&writer, "wrlock behind a reader");
    check_refused(&first, lock, "a reader that reads again");
    check_refused(&second, lock, "a new reader");
    actor_ask(&second, reading->take, lock);
    CHECK_BLOCKS(&second, reading->name);

    CHECK_IS(actor_do(&first, pthread_rwlock_unlock, lock), 0);
    CHECK_IS(actor_answer(&writer), 0);
    CHECK_BLOCKS(&second, reading->name);
    CHECK_IS(actor_do(&writer, pthread_rwlock_unlock, lock), 0);
    CHECK_IS(actor_answer(&second), 0);
    CHECK_IS(actor_do(&second, pthread_rwlock_unlock, lock), 0);
    CHECK_IS(pthread_rwlock_trywrlock(lock), 0);
    release(lock);
}

int main(void)
{
    locks_deadline();
    actor_start(&first);
    actor_start(&second);
    actor_start(&writer);
    lock_init(&by_attribute, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP, 0);
    for (int i = 0; i < BLOCKING_FORMS; i++) {
        stand_behind_writer(&by_attribute, &read_forms[i]);
        stand_behind_writer(&by_initialiser, &read_forms[i]);
    }
    return 0;
}
