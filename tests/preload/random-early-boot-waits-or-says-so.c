// SPDX-License-Identifier: MIT
// Before the kernel's pool is ready a first draw has no seed: it waits as getrandom() does, unless
// it was told not to. A service that hangs at boot should be easy to name.
// claim: while the pool is not ready draws wait, or give EAGAIN; who waits is counted and named
// run: UNCONTEND_RANDOM=drbg with=pool-not-ready
// run: UNCONTEND_RANDOM=auto with=pool-not-ready,no-vdso
// old-kernel: none, no engine of ours draws there
#include "lib/dump.h"
#include <sys/random.h>

enum { THREADS = 3 };

static void refuse_to_wait(void)
{
    uint8_t drawn[32] = {0};

    for (int i = 0; i < 3; i++) {
        errno = 0;
        CHECK_IS(getrandom(drawn, sizeof(drawn), GRND_NONBLOCK), -1);
        CHECK_IS(errno, EAGAIN);
        for (size_t at = 0; at < sizeof(drawn); at++)
            CHECK(drawn[at] == 0, "wrote at %zu without a seed", at);
    }
}

static void *draw_first(void *unused)
{
    uint8_t drawn[32];

    refuse_to_wait();
    CHECK_IS(getrandom(drawn, sizeof(drawn), 0), sizeof(drawn));
    // Seeded now: nothing to wait for, even past the bytes after which a fresh seed is due.
    for (int i = 0; i < 50000; i++)
        CHECK_IS(getrandom(drawn, sizeof(drawn), GRND_NONBLOCK), sizeof(drawn));
    return unused;
}

static int play(void)
{
    draw_first(NULL);
    CHECK_IS(dump_stat(UC_STAT_RANDOM_WAITED), 1);
    CHECK(dump_stat(UC_STAT_RANDOM_REFUSED) > 0, "no fresh seed was asked for");
    for (int i = 0; i < THREADS; i++)
        check_join(check_thread(draw_first, NULL));
    CHECK_IS(dump_stat(UC_STAT_RANDOM_WAITED), 1 + THREADS);
    return CHECK_PASS;
}

int main(int argc, char **argv)
{
    static const char *const settings[] = {"UNCONTEND_VERBOSE=off", "UNCONTEND_VERBOSE=on"};

    check_deadline(25);
    (void)argv;
    if (argc > 1)
        return play();
    for (int verbose = 0; verbose < 2; verbose++) {
        char *const list[] = {(char *)(uintptr_t)settings[verbose], NULL};
        static char said[1 << 16];
        int status = dump_again("draw", list, said, sizeof(said));

        CHECK(status == CHECK_PASS, "ended with %d: %s", status, said);
        CHECK(dump_occurrences(said, "is the first to wait") == verbose, "%s: %s",
              settings[verbose], said);
    }
    return CHECK_PASS;
}
