// SPDX-License-Identifier: MIT
// In the resolver of a library that starts before ours libc cannot be reached: errno is not set
// there, and a lock, with one thread, is granted and not held.
// claim: every function that is taken over answers as without us in an IFUNC resolver and in the
// constructor of a library that starts before ours, in DT_PREINIT_ARRAY, in the program's own
// resolver and constructor and in main, and draws no bytes twice
// compare
// run: UNCONTEND_RANDOM=drbg UNCONTEND_SYSCALL=on with=calls-all-early
// run: UNCONTEND_RANDOM=vdso UNCONTEND_SYSCALL=on with=calls-all-early
// run: UNCONTEND_RANDOM=system UNCONTEND_SIGNAL=none with=calls-all-early
// run: UNCONTEND_RANDOM=drbg UNCONTEND_TEST_EAGER_BIAS=on with=calls-all-early
// run: UNCONTEND_DISABLE=on with=calls-all-early
#include "lib/everything.h"
#include "lib/pool.h"

// Of the library that was first.
extern const struct everything *early_everything(int constructor) __attribute__((weak));

static struct everything resolver, preinit, constructor, late;

static void handler(int number)
{
    (void)number;
}

static int answer(void)
{
    return 42;
}

__attribute__((used)) static int (*resolve(void))(void)
{
    everything_call(&resolver, handler);
    return answer;
}

int chosen(void);
int chosen(void) __attribute__((ifunc("resolve")));

static void before_all(void)
{
    everything_call(&preinit, handler);
    everything_load(&preinit);
}

__attribute__((used, section(".preinit_array"))) static void (*const first)(void) = before_all;

__attribute__((constructor)) static void construct(void)
{
    everything_call(&constructor, handler);
    everything_load(&constructor);
}

static void show(struct pool *pool, const char *where, int number, const struct everything *e)
{
    printf("%s:", where);
    for (int i = 0; i < e->count && i < EVERYTHING; i++)
        printf(" %ld", e->got[i]);
    printf("\n");
    CHECK(e->count < EVERYTHING, "%d answers", e->count);
    for (unsigned i = 0; i < sizeof(e->drawn) / sizeof(e->drawn[0]); i++)
        pool_add(pool, POOL_PARTY('e', (unsigned)number * 10 + i), e->drawn[i], 32);
}

int main(void)
{
    struct pool *pool = pool_new(1 << 12);

    check_deadline(20);
    CHECK(early_everything, "the library that calls early is not loaded");
    everything_call(&late, handler);
    everything_load(&late);
    show(pool, "a library's resolver", 0, early_everything(0));
    show(pool, "its constructor", 1, early_everything(1));
    CHECK_IS(chosen(), 42);
    show(pool, "the program's resolver", 2, &resolver);
    show(pool, "DT_PREINIT_ARRAY", 3, &preinit);
    show(pool, "the program's constructor", 4, &constructor);
    show(pool, "main", 5, &late);
    pool_unique(pool);
    return CHECK_PASS;
}
