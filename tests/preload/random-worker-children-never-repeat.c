// SPDX-License-Identifier: MIT
// Children made by a thread that is not the main one; there main's state is that of a thread which
// does not exist in the child, and another thread may be given it.
// claim: children of a worker thread repeat nothing, nor do threads that such a child starts
// matrix: random
#include "lib/brood.h"

static void *thread_of_child(void *arg)
{
    brood_child_main(arg);
    return NULL;
}

// fork() alone promises that threads can be started in the child.
static void raise_threads(struct pool *pool, unsigned number)
{
    struct brood_child first = {pool, POOL_PARTY('x', number)};
    struct brood_child second = {pool, POOL_PARTY('y', number)};
    pid_t pid = CHECK_CALL(fork());

    if (pid == 0) {
        pthread_t thread;

        alarm(10);
        thread = check_thread(thread_of_child, &first);
        brood_child_main(&second);
        check_join(thread);
        _exit(CHECK_PASS);
    }
    brood_draw(pool, POOL_PARTY('z', number));
    CHECK_IS(check_collect(pid), CHECK_PASS);
}

static void *worker(void *arg)
{
    struct pool *pool = arg;

    brood_raise_all(pool, (unsigned)draw_count(600, 4000));
    for (unsigned i = 0; i < (unsigned)draw_count(100, 1000); i++)
        raise_threads(pool, i);
    return NULL;
}

int main(void)
{
    struct pool *pool = pool_new(1 << 19);
    struct brood_neighbour neighbour;
    uint8_t early[777];

    check_deadline(25);
    draw(DRAW_GETRANDOM, early, sizeof(early));
    pool_add(pool, POOL_PARTY('e', 0), early, sizeof(early));
    brood_meet(&neighbour, pool, 0);
    check_join(check_thread(worker, pool));
    brood_part(&neighbour);
    brood_draw(pool, POOL_PARTY('l', 0));
    pool_unique(pool);
    return CHECK_PASS;
}
