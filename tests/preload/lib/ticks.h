// SPDX-License-Identifier: MIT
// A real timer every 50 us, and draws under it, the long ones too: 8 KiB and 1 MiB. The same as the
// tests that step through a draw, but at any time.
#ifndef TICKS_H
#define TICKS_H

#include "draw.h"
#include "pool.h"
#include <sys/resource.h>
#include <time.h>

enum { TICKS_LONG_DRAW = 1 << 20 };

static inline timer_t ticks_start(void (*handler)(int))
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

// Of the i-th size, by the i-th function; how many bytes.
static inline size_t ticks_draw(uint8_t drawn[TICKS_LONG_DRAW], unsigned i)
{
    static const size_t sizes[] = {16, 100, 16, 1000, 24, 8192, 32, 64};
    size_t bytes = i % 64 == 63 ? TICKS_LONG_DRAW : sizes[i % 8];
    // Words one by one are slow to make a megabyte of.
    int function = bytes == TICKS_LONG_DRAW ? DRAW_ARC4RANDOM_BUF : (int)(i % DRAW_FUNCTIONS);

    draw((enum draw_function)function, drawn, bytes);
    return bytes;
}

// Where getrandom is refused, a jump out of a draw may leave /dev/urandom open, in glibc's
// arc4random as in ours: the usual 1024 descriptors do not last.
static inline void ticks_allow_descriptors(void)
{
    struct rlimit files;

    CHECK_CALL(getrlimit(RLIMIT_NOFILE, &files));
    files.rlim_cur = files.rlim_max;
    CHECK_CALL(setrlimit(RLIMIT_NOFILE, &files));
}

#endif
