// SPDX-License-Identifier: MIT
// A program that drew, and then puts itself into a sandbox without getrandom(). A generator that
// has a key may go on with it, or the refusal may come through. New threads and children have none.
// claim: when getrandom is forbidden later, a draw gives fresh bytes or the kernel's own error
// matrix: random
#include "../fault/fault.h"
#include "lib/brood.h"

static struct pool *pool;
static int refusal;

static void draw_or_be_refused(int letter, unsigned number)
{
    static const size_t sizes[] = {16, 64, 256, 5000};
    uint8_t drawn[5000];

    for (int i = 0; i < 4; i++) {
        ssize_t got;

        errno = 0;
        got = getrandom(drawn, sizes[i], 0);
        if (got == (ssize_t)sizes[i])
            pool_add(pool, POOL_PARTY(letter, number), drawn, sizes[i]);
        else
            CHECK(got == -1 && errno == refusal, "getrandom(%zu): %zd, %s", sizes[i], got,
                  strerror(errno));
        errno = 0;
        if (getentropy(drawn, 100) == 0)
            pool_add(pool, POOL_PARTY(letter, number), drawn, 100);
        else
            CHECK_IS(errno, refusal);
        if (arc4random_buf) {
            arc4random_buf(drawn, sizes[i]);
            pool_add(pool, POOL_PARTY(letter, number), drawn, sizes[i]);
            draw(DRAW_ARC4RANDOM, drawn, 40);
            pool_add(pool, POOL_PARTY(letter, number), drawn, 40);
        }
    }
}

static void child_main(void *number)
{
    alarm(10);
    draw_or_be_refused('c', (unsigned)(uintptr_t)number);
}

static void *thread_main(void *number)
{
    draw_or_be_refused('t', (unsigned)(uintptr_t)number);
    return NULL;
}

// glibc's own arc4random() goes to /dev/urandom after ENOSYS, but ends the program after EPERM. It
// is what serves without a preload, by choice, and where the kernel cannot wipe pages on fork.
static int is_libc_alone(void)
{
    const char *engine = getenv("UNCONTEND_RANDOM"), *preloads = getenv("LD_PRELOAD");

    return !preloads || strstr(preloads, "/wipe-") || (engine && strcmp(engine, "system") == 0);
}

static int run(void *error)
{
    refusal = *(int *)error;
    brood_draw(pool, POOL_PARTY('b', 0));
    fault_refuse(SYS_getrandom, (unsigned)refusal);
    for (uintptr_t i = 0; i < 40; i++) {
        pid_t pid = family_child((enum family_way)(i % FAMILY_WAYS), child_main, (void *)i);

        draw_or_be_refused('p', (unsigned)i);
        CHECK_IS(check_collect(pid), CHECK_PASS);
        check_join(check_thread(thread_main, (void *)i));
    }
    // Past the point at which a generator wants a new seed.
    for (unsigned i = 0; i < 300; i++)
        draw_or_be_refused('m', i);
    return CHECK_PASS;
}

int main(void)
{
    const int errors[] = {ENOSYS, EPERM};

    check_deadline(25);
    pool = pool_new(2 << 20);
    for (int i = 0; i < (is_libc_alone() ? 1 : 2); i++)
        CHECK_IS(check_in_child(run, (void *)&errors[i]), CHECK_PASS);
    pool_unique(pool);
    return CHECK_PASS;
}
