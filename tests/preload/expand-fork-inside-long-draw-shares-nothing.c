// SPDX-License-Identifier: MIT
// A long request is made of keys that are used once. A handler forks while the request is not yet
// complete, as its last bytes show, and the child returns into it: child and parent must finish
// with nothing in common, not even what was already made.
// claim: a fork inside a long draw makes the child begin it anew
// run: UNCONTEND_RANDOM=vdso
// run: UNCONTEND_RANDOM=drbg
#include "lib/check.h"
#include "lib/dump.h"
#include <sys/random.h>
#include <sys/time.h>

enum { BYTES = 1 << 20, BLOCK = 64, FORKS = 24, TRIES = 4000 };

static uint8_t out[BYTES];
static uint8_t *theirs;
static volatile sig_atomic_t drawing, is_child;
static volatile pid_t child;

static void fork_in_handler(int unused)
{
    static const uint8_t zeros[16];

    (void)unused;
    // Complete but for the return: then the same result on both sides is no fault.
    if (!drawing || child || memcmp(out + BYTES - 16, zeros, 16) != 0)
        return;
    child = CHECK_CALL(fork());
    if (child == 0) {
        is_child = 1;
        child = -1; // no grandchildren
    }
}

static void timer(long us)
{
    const struct itimerval time = {{0, us}, {0, us}};

    CHECK_CALL(setitimer(ITIMER_REAL, &time, NULL));
}

// True when there was a fork in it.
static int draw_and_compare(void)
{
    memset(out, 0, sizeof(out));
    child = 0;
    drawing = 1;
    CHECK_IS(getrandom(out, sizeof(out), 0), sizeof(out));
    drawing = 0;
    if (is_child) {
        memcpy(theirs, out, sizeof(out));
        _exit(CHECK_PASS);
    }
    if (!child)
        return 0;
    CHECK_IS(check_collect(child), CHECK_PASS);
    for (size_t i = 0; i < sizeof(out); i += BLOCK)
        CHECK(memcmp(out + i, theirs + i, BLOCK) != 0, "child and parent share bytes %zu to %zu", i,
              i + BLOCK);
    return 1;
}

int main(void)
{
    const struct sigaction action = {.sa_handler = fork_in_handler, .sa_flags = SA_RESTART};
    const struct uc_root *root = dump_root();
    int forks = 0;

    if (!root || strcmp(root->random.name, getenv("UNCONTEND_RANDOM")) != 0)
        SKIP("this kernel has not what the engine needs");
    theirs = check_shared(BYTES);
    CHECK_CALL(sigaction(SIGALRM, &action, NULL));
    timer(100);
    for (int i = 0; i < TRIES && forks < FORKS; i++)
        forks += draw_and_compare();
    timer(0);
    CHECK(forks > 0, "no fork came in between in %d draws", TRIES);
    return CHECK_PASS;
}
