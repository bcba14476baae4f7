// SPDX-License-Identifier: MIT
// At the end of a process all state is wiped, while threads still run, and while functions that
// were registered with atexit(), and destructors of libraries, draw for the last time.
// claim: draws during exit() neither hang nor repeat nor give zeros; no buffered state is left
// matrix: random
// run: UNCONTEND_RANDOM=vdso with=calls-back-at-exit
// run: UNCONTEND_RANDOM=drbg with=calls-back-at-exit
// run: UNCONTEND_RANDOM=drbg with=calls-back-at-exit,wipe-faked
#include "lib/brood.h"
#include "lib/maps.h"
#include <sched.h>

// Of a library that ends after all others; absent in most runs.
extern void (*at_very_end)(void) __attribute__((weak));

static struct pool *pool;
static unsigned round_number;
static struct brood_neighbour neighbours[3];

// Long enough for the threads to be seen drawing after whatever ran before this.
static void draw_at_exit(void)
{
    if (!pool)
        return;
    for (int i = 0; i < 20; i++)
        brood_draw(pool, POOL_PARTY('e', round_number));
}

static size_t left_behind(const struct maps_wiped *wiped)
{
    size_t words = 0;

    for (size_t i = 0; i < wiped->count && !wiped->droppable; i++)
        for (uintptr_t at = wiped->range[i].from; at < wiped->range[i].to; at += sizeof(long))
            words += *(volatile long *)at != 0;
    return words;
}

// After the preloaded library, with threads that still draw: pages that are wiped on fork hold
// nothing, once a draw that was going on has ended; check_deadline() is the limit. The vDSO's own
// state, in droppable pages, is the kernel's to care for.
static void find_no_state(void)
{
    static struct maps_wiped wiped;

    draw_at_exit();
    maps_find_wiped(&wiped);
    while (left_behind(&wiped) > 0)
        sched_yield();
}

__attribute__((destructor(101))) static void last_of_all(void)
{
    draw_at_exit();
}

__attribute__((destructor)) static void one_of_the_last(void)
{
    draw_at_exit();
}

static void register_early(void)
{
    CHECK_IS(atexit(draw_at_exit), 0);
}

__attribute__((used,
               section(".preinit_array"))) static void (*const preinit)(void) = register_early;

static void leave_by_exit(unsigned number)
{
    check_deadline(10);
    round_number = number;
    CHECK_IS(atexit(draw_at_exit), 0);
    if (&at_very_end)
        at_very_end = find_no_state;
    for (unsigned i = 0; i < 3; i++)
        brood_meet(&neighbours[i], pool, number * 3 + i);
    brood_draw(pool, POOL_PARTY('m', number));
    exit(CHECK_PASS);
}

int main(void)
{
    struct pool *shared = pool_new(1 << 20);

    check_deadline(25);
    for (unsigned i = 0; i < (unsigned)draw_count(30, 300); i++) {
        pid_t pid = CHECK_CALL(fork());

        if (pid == 0) {
            pool = shared;
            leave_by_exit(i);
        }
        CHECK_IS(check_collect(pid), CHECK_PASS);
    }
    pool_unique(shared);
    return CHECK_PASS;
}
