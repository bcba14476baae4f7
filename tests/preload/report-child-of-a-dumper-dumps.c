// SPDX-License-Identifier: MIT
// claim: a child that was forked while another thread wrote a dump can write its own, which counts
// from zero
// run: UNCONTEND_SIGNAL=none
#include "lib/dump.h"
#include "lib/family.h"

static _Atomic(int) done;

static void *dump_on(void *unused)
{
    while (!done)
        raise(SIGUSR1);
    return unused;
}

static void dump_in_child(void *unused)
{
    (void)unused;
    check_deadline(10);
    raise(SIGUSR1);
    if (dump_count() != 1)
        FAIL("expected 1 dump, got %d", (int)dump_count());
}

static int run(void)
{
    pthread_t threads[2];
    long children = check_count(300, 20000);

    check_deadline(25);
    for (int i = 0; i < 2; i++)
        threads[i] = check_thread(dump_on, NULL);
    while (dump_count() == 0)
        sched_yield();
    for (long i = 0; i < children; i++)
        CHECK_IS(check_collect(family_child(FAMILY_FORK, dump_in_child, NULL)), 0);
    done = 1;
    for (int i = 0; i < 2; i++)
        check_join(threads[i]);
    return CHECK_PASS;
}

int main(int argc, char **argv)
{
    return dump_main(argc, argv, run);
}
