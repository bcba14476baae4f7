// SPDX-License-Identifier: MIT
// claim: handlers that draw or jump out, at any time, make no repeat, no zeros and no hang
// matrix: random
#include "lib/ticks.h"
#include <setjmp.h>

enum { EDGE = 4096 };

static struct pool *pool;
static sigjmp_buf back;
static uint8_t drawn[TICKS_LONG_DRAW];
static volatile sig_atomic_t may_jump;
static volatile unsigned ticks;

static void draw_in_handler(int signal_number)
{
    uint8_t mine[8192];
    size_t bytes = ticks % 16 == 0 ? sizeof(mine) : POOL_WINDOW + ticks % 300;

    (void)signal_number;
    draw((enum draw_function)(ticks % DRAW_FUNCTIONS), mine, bytes);
    pool_add(pool, POOL_PARTY('h', ticks), mine, bytes < 512 ? bytes : 512);
    ticks++;
}

static void jump_from_handler(int signal_number)
{
    if (ticks % 3 == 0)
        draw_in_handler(signal_number);
    else
        ticks++;
    if (may_jump) {
        may_jump = 0;
        siglongjmp(back, 1);
    }
}

// Of a long draw both ends go into the pool, and of all draws only as many as there is room for:
// how many come between two ticks is the machine's affair. Zeros are looked for in all of it.
static void record(int letter, unsigned number, size_t bytes)
{
    if (!pool_has_room(pool)) {
        pool_no_zeros(pool, POOL_PARTY(letter, number), drawn, bytes);
        return;
    }
    if (bytes <= 2 * EDGE) {
        pool_add(pool, POOL_PARTY(letter, number), drawn, bytes);
        return;
    }
    pool_no_zeros(pool, POOL_PARTY(letter, number), drawn, bytes);
    pool_add(pool, POOL_PARTY(letter, number), drawn, EDGE);
    pool_add(pool, POOL_PARTY(letter, number), drawn + bytes - EDGE, EDGE);
}

static int with_draws(void *wanted)
{
    timer_t timer = ticks_start(draw_in_handler);

    for (unsigned i = 0; ticks < *(const unsigned *)wanted; i++)
        record('m', i, ticks_draw(drawn, i));
    CHECK_CALL(timer_delete(timer));
    return CHECK_PASS;
}

static int with_jumps(void *wanted)
{
    volatile unsigned i = 0;
    timer_t timer = ticks_start(jump_from_handler);

    while (ticks < *(const unsigned *)wanted) {
        i++;
        if (sigsetjmp(back, 1) == 0) {
            size_t bytes;

            may_jump = 1;
            bytes = ticks_draw(drawn, i);
            may_jump = 0;
            record('m', i, bytes);
        }
    }
    CHECK_CALL(timer_delete(timer));
    return CHECK_PASS;
}

int main(void)
{
    unsigned wanted = (unsigned)check_count(2500, 60000);

    check_deadline(25);
    ticks_allow_descriptors();
    pool = pool_new(1 << 20);
    CHECK_IS(check_in_child(with_draws, &wanted), CHECK_PASS);
    CHECK_IS(check_in_child(with_jumps, &wanted), CHECK_PASS);
    pool_unique(pool);
    return CHECK_PASS;
}
