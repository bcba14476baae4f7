// SPDX-License-Identifier: MIT
// The same as the tests that step through a draw, but with a real timer every 50 us, and so in the
// long draws too: 8 KiB and 1 MiB.
// claim: handlers that draw, jump out or fork, at any time, make no repeat, no zeros and no hang
// matrix: random
#include "lib/draw.h"
#include "lib/family.h"
#include "lib/pool.h"
#include <setjmp.h>
#include <sys/resource.h>
#include <time.h>

enum { LONG_DRAW = 1 << 20, EDGE = 4096, MOST_CHILDREN = 4096 };

static struct pool *pool;
static sigjmp_buf back;
static uint8_t drawn[LONG_DRAW];
static volatile sig_atomic_t may_jump;
static volatile unsigned ticks, is_child, children;
static pid_t pids[MOST_CHILDREN];

static void draw_in_handler(int signal_number)
{
    uint8_t mine[8192];
    size_t bytes = ticks % 16 == 0 ? sizeof(mine) : POOL_WINDOW + ticks % 300;

    (void)signal_number;
    draw((enum draw_function)(ticks % DRAW_FUNCTIONS), mine, bytes);
    pool_add(pool, POOL_PARTY('h', ticks), mine, bytes < 512 ? bytes : 512);
    ticks++;
}

static void jump_from_handler(int signal_number)
{
    if (ticks % 3 == 0)
        draw_in_handler(signal_number);
    else
        ticks++;
    if (may_jump) {
        may_jump = 0;
        siglongjmp(back, 1);
    }
}

static void fork_in_handler(int signal_number)
{
    pid_t pid;

    (void)signal_number;
    if (ticks++ % 20 != 0 || is_child || children == MOST_CHILDREN)
        return;
    pid = family_fork((enum family_way)(children % FAMILY_CLONE));
    CHECK(pid >= 0, "fork in a handler: %s", strerror(errno));
    if (pid == 0) {
        alarm(10);
        is_child = 1;
    } else {
        pids[children++] = pid;
    }
}

static timer_t start_timer(void (*handler)(int))
{
    const struct itimerspec every = {{0, 50000}, {0, 50000}};
    struct sigaction action;
    struct sigevent event;
    timer_t timer;

    memset(&action, 0, sizeof(action));
    action.sa_handler = handler;
    CHECK_CALL(sigaction(SIGRTMIN + 3, &action, NULL));
    memset(&event, 0, sizeof(event));
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMIN + 3;
    CHECK_CALL(timer_create(CLOCK_MONOTONIC, &event, &timer));
    CHECK_CALL(timer_settime(timer, 0, &every, NULL));
    return timer;
}

// Of a long draw both ends go into the pool, and of all draws only as many as there is room for:
// how many come between two ticks is the machine's affair. Zeros are looked for in all of it.
static void record(int letter, unsigned number, size_t bytes)
{
    if (!pool_has_room(pool)) {
        pool_no_zeros(pool, POOL_PARTY(letter, number), drawn, bytes);
        return;
    }
    if (bytes <= 2 * EDGE) {
        pool_add(pool, POOL_PARTY(letter, number), drawn, bytes);
        return;
    }
    pool_no_zeros(pool, POOL_PARTY(letter, number), drawn, bytes);
    pool_add(pool, POOL_PARTY(letter, number), drawn, EDGE);
    pool_add(pool, POOL_PARTY(letter, number), drawn + bytes - EDGE, EDGE);
}

static size_t draw_once(unsigned i)
{
    static const size_t sizes[] = {16, 100, 16, 1000, 24, 8192, 32, 64};
    size_t bytes = i % 64 == 63 ? LONG_DRAW : sizes[i % 8];
    // Words one by one are slow to make a megabyte of.
    int function = bytes == LONG_DRAW ? DRAW_ARC4RANDOM_BUF : (int)(i % DRAW_FUNCTIONS);

    draw((enum draw_function)function, drawn, bytes);
    return bytes;
}

static int with_draws(void *wanted)
{
    timer_t timer = start_timer(draw_in_handler);

    for (unsigned i = 0; ticks < *(const unsigned *)wanted; i++)
        record('m', i, draw_once(i));
    CHECK_CALL(timer_delete(timer));
    return CHECK_PASS;
}

static int with_jumps(void *wanted)
{
    volatile unsigned i = 0;
    timer_t timer = start_timer(jump_from_handler);

    while (ticks < *(const unsigned *)wanted) {
        i++;
        if (sigsetjmp(back, 1) == 0) {
            size_t bytes;

            may_jump = 1;
            bytes = draw_once(i);
            may_jump = 0;
            record('m', i, bytes);
        }
    }
    CHECK_CALL(timer_delete(timer));
    return CHECK_PASS;
}

static void allow_ticks(int how)
{
    sigset_t tick;

    sigemptyset(&tick);
    sigaddset(&tick, SIGRTMIN + 3);
    CHECK_IS(pthread_sigmask(how, &tick, NULL), 0);
}

// What a side draws after a fork, with no other fork in between: a child that began in the middle
// of it would hand in what its parent hands in.
static void record_apart(int letter, unsigned number)
{
    allow_ticks(SIG_BLOCK);
    draw_taste(drawn);
    pool_add(pool, POOL_PARTY(letter, number), drawn, DRAW_TASTE);
    allow_ticks(SIG_UNBLOCK);
}

// A child goes on in here, from the draw that was interrupted. It may have that draw's bytes in
// common with its parent, when they had all been there at the fork; what follows is its own.
static int with_forks(void *wanted)
{
    timer_t timer = start_timer(fork_in_handler);

    for (unsigned i = 0; ticks < *(const unsigned *)wanted; i++) {
        size_t bytes = draw_once(i);

        pool_no_zeros(pool, POOL_PARTY('i', i), drawn, bytes);
        if (is_child) {
            record_apart('c', children);
            return CHECK_PASS;
        }
        if (i % 8 == 0 && pool_has_room(pool))
            record_apart('p', i);
    }
    allow_ticks(SIG_BLOCK);
    if (is_child) // of a tick after the last draw; it has no timer
        return CHECK_PASS;
    CHECK_CALL(timer_delete(timer));
    for (unsigned i = 0; i < children; i++)
        CHECK_IS(check_collect(pids[i]), CHECK_PASS);
    return CHECK_PASS;
}

// Where getrandom is refused, a jump out of a draw may leave /dev/urandom open, in glibc's
// arc4random as in ours: the usual 1024 descriptors do not last.
static void allow_descriptors(void)
{
    struct rlimit files;

    CHECK_CALL(getrlimit(RLIMIT_NOFILE, &files));
    files.rlim_cur = files.rlim_max;
    CHECK_CALL(setrlimit(RLIMIT_NOFILE, &files));
}

int main(void)
{
    unsigned wanted = (unsigned)check_count(2500, 60000);

    check_deadline(25);
    allow_descriptors();
    pool = pool_new(1 << 20);
    CHECK_IS(check_in_child(with_draws, &wanted), CHECK_PASS);
    CHECK_IS(check_in_child(with_jumps, &wanted), CHECK_PASS);
    CHECK_IS(check_in_child(with_forks, &wanted), CHECK_PASS);
    pool_unique(pool);
    return CHECK_PASS;
}
