// SPDX-License-Identifier: MIT
// Where state is wiped in a child, the note of whose state it is must not be wiped with it: a
// thread that the child starts could get the state of the one that forked, and both would use it at
// once. Each child draws in four threads at the same time, the one that forked among them.
// claim: the threads that a child starts draw beside the thread that forked, and repeat nothing
// matrix: random
#include "lib/brood.h"

enum { THREADS = 4 };

static struct pool *pool;
static pthread_barrier_t together;

static void *draw_together(void *party)
{
    uint8_t drawn[64];

    pthread_barrier_wait(&together);
    for (unsigned i = 0; i < 1500; i++) {
        draw((enum draw_function)(i % DRAW_FUNCTIONS), drawn, POOL_WINDOW + i % 40);
        pool_no_zeros(pool, (uint32_t)(uintptr_t)party, drawn, POOL_WINDOW + i % 40);
        if (i % 4 == 0)
            pool_add(pool, (uint32_t)(uintptr_t)party, drawn, POOL_WINDOW + i % 40);
    }
    return NULL;
}

static void in_child(unsigned number)
{
    pthread_t threads[THREADS - 1];

    for (unsigned i = 0; i < THREADS - 1; i++)
        threads[i] = check_thread(draw_together, (void *)(uintptr_t)POOL_PARTY('t' + i, number));
    draw_together((void *)(uintptr_t)POOL_PARTY('c', number));
    for (unsigned i = 0; i < THREADS - 1; i++)
        check_join(threads[i]);
}

// A child of a child as well: by then the child has made its own notes.
static void fork_and_draw(unsigned number, int generations)
{
    pid_t pid = CHECK_CALL(fork());

    if (pid == 0) {
        check_deadline(10);
        if (number % 2)
            brood_draw(pool, POOL_PARTY('a', number));
        in_child(number * 4 + (unsigned)generations);
        if (generations > 1)
            fork_and_draw(number, generations - 1);
        _exit(CHECK_PASS);
    }
    brood_draw(pool, POOL_PARTY('p', number));
    CHECK_IS(check_collect(pid), CHECK_PASS);
}

static void *fork_from_thread(void *number)
{
    brood_draw(pool, POOL_PARTY('w', (uintptr_t)number));
    fork_and_draw((unsigned)(uintptr_t)number, 2);
    return NULL;
}

int main(void)
{
    check_deadline(25);
    pool = pool_new(2 << 20);
    CHECK_IS(pthread_barrier_init(&together, NULL, THREADS), 0);
    brood_draw(pool, POOL_PARTY('m', 0));
    for (uintptr_t i = 0; i < (uintptr_t)draw_count(12, 200); i++) {
        fork_and_draw((unsigned)i, 2);
        check_join(check_thread(fork_from_thread, (void *)(i + 1000)));
    }
    pool_unique(pool);
    return CHECK_PASS;
}
