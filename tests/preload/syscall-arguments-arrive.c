// SPDX-License-Identifier: MIT
// syscall() has six arguments, the last on the stack, and errors by errno. Here each matters.
// claim: syscall() does what libc's does, for every number, taken over or not
// compare
// run: UNCONTEND_SYSCALL=on UNCONTEND_RANDOM=drbg
// run: UNCONTEND_SYSCALL=on UNCONTEND_RANDOM=vdso
// run: UNCONTEND_SYSCALL=on UNCONTEND_RANDOM=system
// run: UNCONTEND_SYSCALL=off
#include "lib/check.h"
#include "lib/family.h"
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <time.h>

static void show(const char *what, long result)
{
    printf("%s: %ld, errno %d\n", what, result, errno);
    errno = 4711;
}

// The sixth argument is the offset: what is read shows whether it arrived.
static void map_beyond_4_gib(void)
{
    const off_t offset = (off_t)5 << 30;
    int fd = CHECK_CALL(memfd_create("beyond", 0));
    char *map;

    CHECK_CALL(ftruncate(fd, offset + 4096));
    CHECK_IS(pwrite(fd, "here", 4, offset), 4);
    map = (char *)syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_PRIVATE, fd, offset);
    CHECK(map != MAP_FAILED, "mmap: %s", strerror(errno));
    show("mmap beyond 4 GiB", memcmp(map, "here", 4));
    show("mmap at no page", syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 1L));
    close(fd);
}

static void wait_on_futex(void)
{
    const struct timespec soon = {0, 1000000};
    uint32_t word = 1;

    show("futex, wrong value", syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 2, NULL, NULL, 1));
    show("futex, deadline", syscall(SYS_futex, &word, FUTEX_WAIT, 1, &soon, NULL, 0));
    // Without a bit in the sixth argument there is nothing to wait for.
    show("futex, no bits", syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 1, &soon, NULL, 0));
}

int main(void)
{
    unsigned char drawn[512] = {0};
    static const unsigned char zeros[64];
    unsigned char many = 0;

    errno = 4711;
    map_beyond_4_gib(); // the very first call: the way to libc's is looked for with all six at hand
    show("getrandom", syscall(SYS_getrandom, drawn, 64, 0));
    show("its bytes", memcmp(drawn, zeros, 64) != 0 && drawn[64] == 0);
    show("getrandom, large", syscall(SYS_getrandom, drawn, sizeof(drawn), GRND_NONBLOCK));
    for (size_t i = 0; i < sizeof(drawn); i++)
        many |= drawn[i];
    show("its bytes", many);
    show("getrandom, nothing", syscall(SYS_getrandom, drawn, 0, 0));
    show("getrandom, odd flags", syscall(SYS_getrandom, drawn, 16, 0x100));
    show("getrandom, nowhere", syscall(SYS_getrandom, NULL, 16, 0));
    show("getpid", syscall(SYS_getpid) == getpid());
    show("no such number", syscall(100000));
    show("read, no descriptor", syscall(SYS_read, -1, drawn, 1));
    map_beyond_4_gib();
    for (int option = 0; option < 3; option++) // looked at on their way
        show("prctl", syscall(SYS_prctl, 100000 + option, &many, 0, 0, 0));
    show("prctl, five", syscall(SYS_prctl, PR_GET_DUMPABLE, 1, 2, 3, 4));
    wait_on_futex();
    fflush(stdout);
    for (int way = FAMILY_SYS_FORK; way <= FAMILY_SYS_CLONE3; way++) {
        pid_t pid = CHECK_CALL(family_fork((enum family_way)way));
        if (pid == 0)
            _exit(7);
        printf("%s: %d\n", family_names[way], check_collect(pid));
    }
    return CHECK_PASS;
}
