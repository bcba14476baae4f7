// SPDX-License-Identifier: MIT
// claim: two threads hold a lock, one gives it back and a third thread does for the other, in any
// order: it is free then, and the next time as well
// matrix: locks
//
// Undefined by POSIX; glibc counts, so it works. What is remembered of one time must not be taken
// for a hold, or for none, the next time: so each way comes after each.
#include "lib/holder.h"

static const struct way_back {
    const char *name;
    bool by_actor;       // an owner that locked before; or this thread is it
    int warm_reads;      // before the owner took it; 0: libc's lock counts the owner
    bool stranger_first; // or the owner
} ways_back[] = {
    {"owner, reads first", false, 0, false},
    {"stranger, reads first", false, 0, true},
    {"owner", false, 1500, false},
    {"stranger", false, 1500, true},
    {"actor, reads first", true, 0, false},
    {"stranger, actor reads first", true, 0, true},
    {"actor", true, 1500, false},
    {"stranger before actor", true, 1500, true},
};

static pthread_rwlock_t lock;
static struct actor actor;

static int as_owner(const struct way_back *way, lock_function *call)
{
    return way->by_actor ? actor_do(&actor, call, &lock) : call(&lock);
}

static void *give_back(void *unused)
{
    release(&lock);
    return unused;
}

static void go(const struct way_back *way)
{
    static const char *before = "none";
    int error;

    read_times(&lock, way->warm_reads);
    CHECK_IS(as_owner(way, pthread_rwlock_rdlock), 0);
    holder_begin(&lock);
    if (way->stranger_first)
        check_join(check_thread(give_back, NULL));
    CHECK_IS(as_owner(way, pthread_rwlock_trywrlock), EBUSY);
    CHECK_IS(as_owner(way, pthread_rwlock_unlock), 0);
    if (!way->stranger_first)
        check_join(check_thread(give_back, NULL));
    error = pthread_rwlock_trywrlock(&lock);
    CHECK(error == 0, "%s, after %s: nobody holds the lock, trywrlock gives %d", way->name, before,
          error);
    release(&lock);
    holder_end();
    before = way->name;
}

int main(void)
{
    locks_deadline();
    actor_start(&actor);
    for (int i = 0; i < LOCKS_COUNT(ways_back); i++)
        for (int j = 0; j < LOCKS_COUNT(ways_back); j++) {
            go(&ways_back[i]);
            go(&ways_back[j]);
        }
    return CHECK_PASS;
}
