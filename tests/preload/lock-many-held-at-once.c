// SPDX-License-Identifier: MIT
// claim: one thread can read-hold hundreds of locks and give them back in any order
// matrix: locks
#include "lib/locks.h"

enum { LOCKS = 300, ROUNDS = 12 };

static pthread_rwlock_t locks[LOCKS];
static int held[LOCKS];
static struct actor other;

static void check_all(void)
{
    for (int i = 0; i < LOCKS; i++) {
        int error = pthread_rwlock_trywrlock(&locks[i]);

        CHECK(error == (held[i] ? EBUSY : 0), "lock %d held %d times: trywrlock gave %d", i,
              held[i], error);
        if (error == 0)
            release(&locks[i]);
    }
}

static void change(int i, bool take)
{
    CHECK_IS(actor_do(&other, take ? pthread_rwlock_rdlock : pthread_rwlock_unlock, &locks[i]), 0);
    held[i] += take ? 1 : -1;
}

static void take_and_give_back(int count, int order, uint32_t *random)
{
    int left = 0;

    for (int i = 0; i < count; i++)
        for (int times = 1 + (int)(next_random(random) % 2); times > 0; times--, left++)
            change(i, true);
    check_all();
    for (int i = 0; left > 0; i++, left--) {
        int at = order == 0 ? i : order == 1 ? count - 1 - i : (int)next_random(random) % count;

        for (at = (at % count + count) % count; !held[at];)
            at = (at + 1) % count;
        change(at, false);
        if (left % 64 == 0)
            check_all();
    }
    check_all();
}

int main(void)
{
    uint32_t random = 2463534242u;

    locks_deadline();
    actor_start(&other);
    for (int i = 0; i < LOCKS; i++)
        read_times(&locks[i], WARM_READS);
    for (int round = 0; round < ROUNDS; round++)
        take_and_give_back(round < 8 ? 1 + round * 2 : LOCKS, round % 3, &random);
    return 0;
}
