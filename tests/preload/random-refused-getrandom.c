// SPDX-License-Identifier: MIT
// A sandbox that forbids getrandom() from the start. arc4random*() cannot fail: it then reads
// /dev/urandom, and ends the program when there is none either. (Of glibc's own that holds after
// ENOSYS; after EPERM it ends the program at once.)
// claim: getrandom and getentropy hand on the refusal, arc4random uses /dev/urandom or aborts
// run: UNCONTEND_RANDOM=vdso with=getrandom-eperm
// run: UNCONTEND_RANDOM=drbg with=getrandom-eperm
// run: UNCONTEND_RANDOM=vdso with=getrandom-enosys
// run: UNCONTEND_RANDOM=drbg with=getrandom-enosys
// run: UNCONTEND_RANDOM=system with=getrandom-enosys
// run: UNCONTEND_RANDOM=drbg with=getrandom-enosys,wipe-faked
// run: UNCONTEND_RANDOM=auto with=getrandom-enosys,no-vdso
// old-kernel: with=getrandom-enosys
#include "../fault/fault.h"
#include "lib/draw.h"
#include "lib/pool.h"
#include <fcntl.h>

static void refused_as_by_kernel(void)
{
    static const size_t sizes[] = {1, 4, 16, 256, 257, 8192, 1 << 20};
    static uint8_t drawn[1 << 20];
    uint8_t byte;
    int wanted;

    CHECK_IS(syscall(SYS_getrandom, &byte, 1, 0), -1);
    wanted = errno;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (unsigned flags = 0; flags < 6; flags++) {
            memset(drawn, 0x77, sizeof(drawn));
            errno = 0;
            CHECK_IS(getrandom(drawn, sizes[i], flags), -1);
            CHECK_IS(errno, wanted);
            for (size_t at = 0; at < sizes[i]; at++)
                CHECK(drawn[at] == 0x77, "getrandom(%zu) failed, but wrote at %zu", sizes[i], at);
        }
    errno = 0;
    CHECK_IS(getentropy(drawn, 32), -1);
    CHECK_IS(errno, wanted);
}

static const enum draw_function arc4[] = {DRAW_ARC4RANDOM, DRAW_ARC4RANDOM_BUF,
                                          DRAW_ARC4RANDOM_UNIFORM};

static int draw_without_kernel(void *arg)
{
    uint8_t drawn[3000];

    for (unsigned i = 0; i < 3; i++) {
        draw(arc4[i], drawn, sizeof(drawn));
        pool_add(arg, POOL_PARTY('a' + i, getpid()), drawn, sizeof(drawn));
    }
    return CHECK_PASS;
}

static int draw_without_anything(void *which)
{
    uint8_t drawn[64];

    fault_refuse(SYS_open, ENOENT);
    fault_refuse(SYS_openat, ENOENT);
    draw(arc4[*(int *)which], drawn, sizeof(drawn));
    return CHECK_PASS;
}

static int silent(int (*body)(void *), void *arg)
{
    pid_t pid = CHECK_CALL(fork());

    if (pid == 0) {
        check_deadline(10);
        dup2(CHECK_CALL(open("/dev/null", O_WRONLY)), STDERR_FILENO); // libc says why it dies
        _exit(body(arg));
    }
    return check_collect(pid);
}

int main(void)
{
    struct pool *pool = pool_new(1 << 17);
    uint8_t byte;

    check_deadline(25);
    if (syscall(SYS_getrandom, &byte, 1, 0) == 1)
        fault_refuse(SYS_getrandom, ENOSYS);
    refused_as_by_kernel();
    if (!draw_has(DRAW_ARC4RANDOM))
        return CHECK_PASS;
    // Before the parent has drawn, and after.
    for (int i = 0; i < 3; i++)
        CHECK_IS(silent(draw_without_anything, &i), -SIGABRT);
    for (int i = 0; i < 3; i++) {
        CHECK_IS(check_in_child(draw_without_kernel, pool), CHECK_PASS);
        draw_without_kernel(pool);
    }
    refused_as_by_kernel();
    pool_unique(pool);
    return CHECK_PASS;
}
