// SPDX-License-Identifier: MIT
// claim: with kinds 0 and 1 a thread that reads can read-lock again while a writer waits
// matrix: locks
// waits
#include "lib/locks.h"

static struct actor reader, writer;

// Each form of reading inside each form of waiting to write, the outer read lock taken before.
static void nest(pthread_rwlock_t *lock, const struct form *outer, const struct form *waiting)
{
    CHECK_IS(actor_do(&reader, outer->take, lock), 0);
    actor_ask(&writer, waiting->take, lock);
    CHECK_BLOCKS(&writer, waiting->name);
    for (int i = 0; i < FORMS; i++) {
        int error = actor_do(&reader, read_forms[i].take, lock);

        CHECK(error == 0, "%s inside %s while %s waits: %s", read_forms[i].name, outer->name,
              waiting->name, strerror(error));
    }
    CHECK_IS(actor_do(&reader, pthread_rwlock_trywrlock, lock), EBUSY);
    for (int i = 0; i < FORMS; i++) {
        CHECK_IS(actor_do(&reader, pthread_rwlock_unlock, lock), 0);
        CHECK(!__atomic_load_n(&writer.done, __ATOMIC_SEQ_CST), "%s got a lock that is read",
              waiting->name);
    }
    CHECK_BLOCKS(&writer, waiting->name);
    CHECK_IS(actor_do(&reader, pthread_rwlock_unlock, lock), 0);
    CHECK_IS(actor_answer(&writer), 0);
    CHECK_IS(actor_do(&reader, pthread_rwlock_tryrdlock, lock), EBUSY);
    CHECK_IS(actor_do(&writer, pthread_rwlock_unlock, lock), 0);
}

int main(void)
{
    static pthread_rwlock_t lock;

    locks_deadline();
    actor_start(&reader);
    actor_start(&writer);
    for (int kind = PTHREAD_RWLOCK_PREFER_READER_NP; kind <= PTHREAD_RWLOCK_PREFER_WRITER_NP;
         kind++) {
        lock_init(&lock, kind, PTHREAD_PROCESS_PRIVATE);
        for (int outer = 0; outer < FORMS; outer++) {
            for (int waiting = 0; waiting < BLOCKING_FORMS; waiting++) {
                lock_warm(&lock);
                nest(&lock, &read_forms[outer], &write_forms[waiting]);
            }
        }
    }
    return 0;
}
