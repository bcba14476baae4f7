// SPDX-License-Identifier: MIT
// Threads that live for one draw: each may get the state, and the stack, of one that has ended.
// claim: a thread that takes over an ended thread's state gets none of its bytes; there are none
// matrix: random
#include "lib/brood.h"
#include "lib/maps.h"

struct worker {
    struct pool *pool;
    uint32_t party;
    size_t bytes;
};

static void *draw_once(void *arg)
{
    struct worker *self = arg;
    uint8_t drawn[700];

    draw((enum draw_function)(self->bytes % DRAW_FUNCTIONS), drawn, self->bytes);
    pool_add(self->pool, self->party, drawn, self->bytes);
    return NULL;
}

static void *start_many(void *arg)
{
    struct worker *self = arg;

    for (unsigned i = 0; i < (unsigned)check_count(700, 20000); i++) {
        struct worker worker[2];
        pthread_t threads[2];

        for (unsigned j = 0; j < 2; j++) {
            worker[j].pool = self->pool;
            worker[j].party = POOL_PARTY(self->party + j, i);
            worker[j].bytes = POOL_WINDOW + (i * 31 + j) % 600;
            threads[j] = check_thread(draw_once, &worker[j]);
        }
        check_join(threads[0]);
        check_join(threads[1]);
    }
    return NULL;
}

// Words of state that are not zero.
static size_t state_left(void)
{
    static struct maps_wiped wiped;
    size_t words = 0;

    maps_find_wiped(&wiped);
    for (size_t i = 0; i < wiped.count; i++)
        for (uintptr_t at = wiped.range[i].from; at < wiped.range[i].to; at += sizeof(long))
            words += *(volatile long *)at != 0;
    return words;
}

static void leave_no_state(struct pool *pool)
{
    struct worker worker = {pool, POOL_PARTY('l', 0), 100};
    size_t before, after;

    brood_draw(pool, POOL_PARTY('l', 1)); // of this thread's own state there may be some
    before = state_left();
    for (int i = 0; i < 20; i++)
        check_join(check_thread(draw_once, &worker));
    after = state_left();
    CHECK(after == before, "%zu words of state, and %zu after the end of threads", before, after);
}

int main(void)
{
    struct pool *pool = pool_new(1 << 20);
    struct worker first = {pool, 'a', 0}, second = {pool, 'm', 0};
    pthread_t other;

    check_deadline(25);
    leave_no_state(pool);
    other = check_thread(start_many, &first);
    start_many(&second);
    check_join(other);
    pool_unique(pool);
    return CHECK_PASS;
}
