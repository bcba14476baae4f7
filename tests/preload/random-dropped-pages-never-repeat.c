// SPDX-License-Identifier: MIT
// The kernel may zero droppable pages at any moment. Here that happens to all state, droppable or
// wiped on fork: at each instruction of a draw, and from another thread while three others draw.
// claim: state that is zeroed in the middle of a draw makes no zeros, no repeat, no zero-key output
// matrix: random
#include "lib/chacha.h"
#include "lib/maps.h"
#include "lib/moments.h"
#include "lib/pool.h"
#include <time.h>

static struct pool *pool;
static struct maps_wiped wiped;
static unsigned runs;
static _Atomic int stop;

static void wipe(void)
{
    maps_wipe(&wiped);
}

static void *run(void *arg)
{
    struct moment *m = arg;

    draw(m->function, m->drawn, 16);
    pool_add(pool, POOL_PARTY('w', runs), m->drawn, 16);
    maps_find_wiped(&wiped);
    moment_run(m, wipe);
    draw_taste(m->drawn + m->bytes);
    pool_add(pool, POOL_PARTY('m', runs++), m->drawn, m->bytes + DRAW_TASTE);
    return NULL;
}

static void *drawer(void *number)
{
    uint8_t drawn[1400];

    for (unsigned i = 0; !atomic_load(&stop); i++) {
        size_t bytes = POOL_WINDOW + i * 29 % (i % 8 ? 64 : sizeof(drawn) - POOL_WINDOW);

        draw((enum draw_function)(i % DRAW_FUNCTIONS), drawn, bytes);
        if (pool_has_room(pool))
            pool_add(pool, POOL_PARTY('d', (uintptr_t)number), drawn, bytes);
        else
            pool_no_zeros(pool, POOL_PARTY('d', (uintptr_t)number), drawn, bytes);
    }
    return NULL;
}

// Three threads draw while this one wipes, about every 20 us, so that draws get done in between.
// All but the first draw for the first time after a wipe: who may use which state must not be
// forgotten with the state.
static void wipe_from_outside(uintptr_t round, long times)
{
    pthread_t threads[3];

    atomic_store(&stop, 0);
    for (uintptr_t i = 0; i < 3; i++) {
        threads[i] = check_thread(drawer, (void *)(round * 3 + i));
        maps_find_wiped(&wiped);
        maps_wipe(&wiped);
    }
    for (long i = 0; i < times; i++) {
        const struct timespec pause = {0, 20000};

        maps_wipe(&wiped);
        nanosleep(&pause, NULL);
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < 3; i++)
        check_join(threads[i]);
}

// What a ChaCha20 generator makes of a zeroed state, for the ways to number blocks. One window that
// is not repeated by the others would stay unseen otherwise.
static void add_zero_key_output(void)
{
    static const uint8_t key[32];
    uint8_t block[64];

    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t counted[4] = {i, 0, 0, 0}, ietf[4] = {0, i + 1, 0, 0},
                       last[4] = {0, 0, 0, i + 1};

        chacha_block(key, counted, block);
        pool_add(pool, POOL_PARTY('z', i), block, sizeof(block));
        chacha_block(key, ietf, block);
        pool_add(pool, POOL_PARTY('y', i), block, sizeof(block));
        chacha_block(key, last, block);
        pool_add(pool, POOL_PARTY('x', i), block, sizeof(block));
    }
}

int main(void)
{
    long budget = check_count(3000, 1000000);

    check_deadline(25);
    pool = pool_new(1 << 19);
    step_prepare();
    moments_try(run, DRAW_ARC4RANDOM, 4, budget);
    moments_try(run, DRAW_GETRANDOM, 16, budget);
    moments_try(run, DRAW_GETENTROPY, 100, budget);
    moments_try(run, DRAW_ARC4RANDOM_BUF, 1500, budget);
    for (uintptr_t round = 0; round < (uintptr_t)check_count(20, 500); round++)
        wipe_from_outside(round, 40);
    add_zero_key_output();
    pool_unique(pool);
    return CHECK_PASS;
}
