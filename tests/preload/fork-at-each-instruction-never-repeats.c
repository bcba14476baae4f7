// SPDX-License-Identifier: MIT
// A handler forks after each single instruction of a draw: of a thread's first, which takes its
// seed from the kernel, and of a later one. Each child draws in the handler and returns into the
// draw that was interrupted. A child that came out of it with its parent's seed, or with none,
// would go on to draw what a relative draws; one whose handler had brought the state back to life
// would not notice what it had before.
// claim: no child that was forked inside a draw draws what a relative draws
// matrix: random
#include "lib/draw.h"
#include "lib/step.h"

enum { BYTES = 32, MOST = 20000 };

struct result {
    uint8_t first[BYTES], second[BYTES], inside[BYTES];
    int complete; // but for the return: then a fork copies the result like any other memory
};

static struct result *results; // shared; the parent's is the last
static volatile long children;
static volatile int is_child;

static struct result mine; // of the one thread that draws, or of its copy in a child

static void fork_in_handler(void)
{
    static const uint8_t zeros[8];
    int complete = memcmp(mine.first + BYTES - 8, zeros, 8) != 0;
    pid_t pid;

    if (children == MOST - 1)
        return;
    pid = CHECK_CALL(fork());
    if (pid == 0) {
        is_child = 1;
        step.over = 1;
        mine.complete = complete;
        draw_getrandom(mine.inside, BYTES);
        return;
    }
    children++;
    CHECK_IS(check_collect(pid), CHECK_PASS);
}

static void body(void *drawn)
{
    draw_getrandom(drawn, BYTES);
}

static void *stepped_draw(void *later)
{
    memset(&mine, 0, sizeof(mine));
    children = 0;
    if (later)
        draw_getrandom(mine.second, BYTES);
    step_run(0, 1, fork_in_handler, body, mine.first);
    draw_getrandom(mine.second, BYTES);
    if (!is_child) {
        mine.complete = 1;
        draw_getrandom(mine.inside, BYTES);
    }
    results[children] = mine;
    if (is_child)
        _exit(CHECK_PASS);
    return NULL;
}

static int order(const void *a, const void *b)
{
    return memcmp(a, b, BYTES);
}

static void try_draw(void *later)
{
    uint8_t(*drawn)[BYTES] = check_shared(3 * MOST * BYTES);
    size_t n = 0;

    check_join(check_thread(stepped_draw, later));
    CHECK(children > 20 && children < MOST - 1, "%ld children", children);
    for (long i = 0; i <= children; i++) {
        const struct result *r = &results[i];
        if (!r->complete || i == children || memcmp(r->first, results[children].first, BYTES) != 0)
            memcpy(drawn[n++], r->first, BYTES);
        memcpy(drawn[n++], r->second, BYTES);
        memcpy(drawn[n++], r->inside, BYTES);
    }
    qsort(drawn, n, BYTES, order);
    for (size_t i = 1; i < n; i++)
        CHECK(order(drawn[i - 1], drawn[i]) != 0, "%s draw: two of %zu are alike, %ld children",
              later ? "a later" : "the first", n, children);
}

int main(void)
{
    static char later;

    check_deadline(25);
    results = check_shared(MOST * sizeof(results[0]));
    step_prepare();
    try_draw(NULL);
    try_draw(&later);
    return CHECK_PASS;
}
