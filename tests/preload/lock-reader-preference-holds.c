// SPDX-License-Identifier: MIT
// claim: with kinds 0 and 1 a thread that holds nothing can read-lock while a writer waits
// matrix: locks
//
// A program in which the holder of a read lock waits for another thread that still has to
// read-lock would hang otherwise. The other thread may have used locks before, or be new.
#include "lib/locks.h"

static struct actor seasoned, writer;

static void *read_once(void *arg)
{
    pthread_rwlock_t *lock = arg;

    CHECK_IS(pthread_rwlock_rdlock(lock), 0);
    CHECK_IS(pthread_rwlock_trywrlock(lock), EBUSY);
    release(lock);
    return NULL;
}

static void wait_for_readers(pthread_rwlock_t *lock, const struct form *waiting)
{
    CHECK_IS(pthread_rwlock_rdlock(lock), 0);
    actor_ask(&writer, waiting->take, lock);
    CHECK_BLOCKS(&writer, waiting->name);
    for (int i = 0; i < FORMS; i++) {
        int error = actor_do(&seasoned, read_forms[i].take, lock);

        CHECK(error == 0, "%s while %s waits: %s", read_forms[i].name, waiting->name,
              strerror(error));
        CHECK_IS(actor_do(&seasoned, pthread_rwlock_unlock, lock), 0);
    }
    check_join(check_thread(read_once, lock));
    CHECK_BLOCKS(&writer, waiting->name);
    release(lock);
    CHECK_IS(actor_answer(&writer), 0);
    CHECK_IS(actor_do(&writer, pthread_rwlock_unlock, lock), 0);
}

int main(void)
{
    static pthread_rwlock_t lock;

    locks_deadline();
    actor_start(&seasoned);
    actor_start(&writer);
    for (int round = 0; round < 4; round++) {
        lock_init(&lock, round % 2, PTHREAD_PROCESS_PRIVATE);
        for (int waiting = 0; waiting < BLOCKING_FORMS; waiting++) {
            lock_warm(&lock);
            wait_for_readers(&lock, &write_forms[waiting]);
        }
    }
    return 0;
}
