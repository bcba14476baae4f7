// SPDX-License-Identifier: MIT
// A handler that forks in the middle of a draw; the child returns from it, into the interrupted
// draw. Once a draw has what it will return, fork copies that like any other memory: parent and
// child may then have the same result. Anything between "the same" and "nothing in common" is a
// repeat; in calls of more than 256 bytes, which libc fills piece by piece, a common beginning is
// let pass.
// claim: after a fork inside a draw both sides finish it, share no half of it, and repeat nothing
// matrix: random
#include "lib/draw.h"
#include "lib/family.h"
#include "lib/pool.h"
#include "lib/step.h"

enum { CHILDREN = 400, MOST = 1500 };

static struct pool *pool;
static unsigned runs;
static uint8_t (*results)[MOST]; // of the children, shared

static struct {
    pid_t pids[CHILDREN];
    volatile unsigned count;
    volatile int is_child;
} brood;

struct job {
    enum draw_function function;
    size_t bytes;
    int first; // the thread's first draw of all
    long at, every, steps;
    uint8_t drawn[MOST];
};

static void fork_in_handler(void)
{
    static unsigned ways;
    pid_t pid;

    if (brood.count == CHILDREN)
        return;
    pid = family_fork((enum family_way)(ways++ % FAMILY_CLONE));
    CHECK(pid >= 0, "fork in a handler: %s", strerror(errno));
    if (pid == 0) {
        alarm(10);
        brood.is_child = 1;
        step.over = 1;
        return;
    }
    brood.pids[brood.count++] = pid;
}

static void body(void *arg)
{
    struct job *job = arg;

    draw(job->function, job->drawn, job->bytes);
}

static void taste(int letter, unsigned number)
{
    uint8_t drawn[DRAW_TASTE];

    draw_taste(drawn);
    pool_add(pool, POOL_PARTY(letter, number), drawn, sizeof(drawn));
}

static void compare_with_child(const struct job *job, unsigned child)
{
    const uint8_t *theirs = results[child];
    size_t same = 0;

    while (same < job->bytes && theirs[same] == job->drawn[same])
        same++;
    if (same == job->bytes)
        return;
    // Three equal bytes are chance.
    CHECK(same < 4 || job->bytes > 256, "%s(%zu): child %u shares the first %zu bytes",
          draw_names[job->function], job->bytes, child, same);
    if (job->bytes - same >= POOL_WINDOW)
        pool_add(pool, POOL_PARTY('i', runs * 1000 + child), theirs + same, job->bytes - same);
    else
        pool_no_zeros(pool, POOL_PARTY('i', child), theirs + same, job->bytes - same);
}

static void *run(void *arg)
{
    struct job *job = arg;

    brood.count = 0;
    if (!job->first)
        taste('w', runs);
    job->steps = step_run(job->at, job->every, fork_in_handler, body, job);
    if (brood.is_child) {
        memcpy(results[brood.count], job->drawn, job->bytes);
        taste('c', runs * 1000 + brood.count);
        _exit(CHECK_PASS);
    }
    taste('p', runs);
    for (unsigned i = 0; i < brood.count; i++)
        CHECK_IS(check_collect(brood.pids[i]), CHECK_PASS);
    for (unsigned i = 0; i < brood.count; i++)
        compare_with_child(job, i);
    if (job->bytes >= POOL_WINDOW)
        pool_add(pool, POOL_PARTY('m', runs), job->drawn, job->bytes);
    runs++;
    return NULL;
}

// First a run that only counts, then children at up to `children` instructions of one draw.
static void try_all(enum draw_function function, size_t bytes, int first, long children)
{
    struct job job = {.function = function, .bytes = bytes, .first = first, .at = -1};

    check_join(check_thread(run, &job));
    job.at = 0;
    job.every = job.steps / children + 1;
    check_join(check_thread(run, &job));
}

int main(void)
{
    long children = check_count(70, CHILDREN - 1);

    check_deadline(25);
    pool = pool_new(1 << 19);
    results = check_shared(CHILDREN * sizeof(results[0]));
    step_prepare();
    try_all(DRAW_ARC4RANDOM, 4, 0, children);
    try_all(DRAW_GETRANDOM, 16, 0, children);
    try_all(DRAW_GETENTROPY, 32, 0, children);
    try_all(DRAW_ARC4RANDOM_BUF, 256, 0, children);
    try_all(DRAW_GETRANDOM, MOST, 0, children);
    try_all(DRAW_GETRANDOM, 32, 1, children);
    pool_unique(pool);
    return CHECK_PASS;
}
