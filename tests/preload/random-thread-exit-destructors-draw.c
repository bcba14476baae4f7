// SPDX-License-Identifier: MIT
// A thread's state may be given up before another library's destructor for that thread runs. There
// are two kinds of those, and destructors of keys run in up to four rounds.
// claim: destructors that run at the end of a thread draw, in every round, and repeat nothing
// matrix: random
#include "lib/brood.h"

// What a C++ thread_local with a destructor comes to.
extern int __cxa_thread_atexit_impl(void (*run)(void *), void *object, void *dso);
extern void *__dso_handle;

enum { KEYS = 8 };

static struct pool *pool;
static pthread_key_t keys[KEYS];
static _Atomic unsigned parties, rounds;

static void draw_at_end(int letter)
{
    brood_draw(pool, POOL_PARTY(letter, atomic_fetch_add(&parties, 1)));
}

struct value {
    unsigned key, round;
};

// Sets itself again, so that it is called in each round there is.
static void key_destructor(void *arg)
{
    struct value *value = arg;

    draw_at_end('k');
    atomic_fetch_add(&rounds, 1);
    if (++value->round < 4)
        CHECK_IS(pthread_setspecific(keys[value->key], value), 0);
    else
        free(value);
}

static void local_destructor(void *unused)
{
    (void)unused;
    draw_at_end('l');
}

static void *thread_main(void *draws_first)
{
    if (draws_first)
        draw_at_end('t');
    CHECK_IS(__cxa_thread_atexit_impl(local_destructor, NULL, &__dso_handle), 0);
    for (unsigned i = 0; i < KEYS; i++) {
        struct value *value = calloc(1, sizeof(*value));

        CHECK(value, "no memory");
        value->key = i;
        CHECK_IS(pthread_setspecific(keys[i], value), 0);
    }
    return NULL;
}

int main(void)
{
    uintptr_t threads = (uintptr_t)check_count(100, 1000);

    check_deadline(25);
    pool = pool_new(1 << 20);
    // Half the keys are made before any draw and half after it, on both sides of a preload's own.
    for (int i = 0; i < KEYS / 2; i++)
        CHECK_IS(pthread_key_create(&keys[i], key_destructor), 0);
    draw_at_end('m');
    for (int i = KEYS / 2; i < KEYS; i++)
        CHECK_IS(pthread_key_create(&keys[i], key_destructor), 0);
    for (uintptr_t i = 0; i < threads; i++)
        check_join(check_thread(thread_main, (void *)(i % 2)));
    CHECK(atomic_load(&rounds) >= threads * KEYS, "only %u destructors ran", atomic_load(&rounds));
    pool_unique(pool);
    return CHECK_PASS;
}
