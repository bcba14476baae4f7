// SPDX-License-Identifier: MIT
// claim: handlers that fork, at any time, make no repeat, no zeros and no hang
// matrix: random
#include "lib/family.h"
#include "lib/ticks.h"

enum { MOST_CHILDREN = 4096 };

static struct pool *pool;
static uint8_t drawn[TICKS_LONG_DRAW];
static volatile unsigned ticks, is_child, children;
static pid_t pids[MOST_CHILDREN];

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
    timer_t timer = ticks_start(fork_in_handler);

    for (unsigned i = 0; ticks < *(const unsigned *)wanted; i++) {
        size_t bytes = ticks_draw(drawn, i);

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

int main(void)
{
    unsigned wanted = (unsigned)check_count(2500, 60000);

    check_deadline(25);
    ticks_allow_descriptors();
    pool = pool_new(1 << 20);
    CHECK_IS(check_in_child(with_forks, &wanted), CHECK_PASS);
    pool_unique(pool);
    return CHECK_PASS;
}
