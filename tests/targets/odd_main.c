// SPDX-License-Identifier: MIT
// Calls one odd function from several threads: odd_main NAME THREADS CALLS. Prints the count.
#include "odd.h"

#include <stdio.h>
#include <stdlib.h>

#include "root.h"

enum { MOST = 64 };

static struct odd_state state = {.lock = PTHREAD_RWLOCK_INITIALIZER};
static const char *name;
static uint64_t calls;

static void *use(void *unused)
{
    (void)unused;
    if (odd_call(name, &state, calls) < 0)
        abort();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t all[MOST];
    name = argc > 1 ? argv[1] : "odd_slots";
    int threads = argc > 2 ? atoi(argv[2]) : 1;
    calls = argc > 3 ? strtoull(argv[3], NULL, 10) : 1000;
    for (int t = 0; t < threads && t < MOST; t++)
        pthread_create(&all[t], NULL, use, NULL);
    for (int t = 0; t < threads && t < MOST; t++)
        pthread_join(all[t], NULL);
    printf("count=%lu writes=%lu calls=%lu replaced=%u\n",
           (unsigned long)(state.count + state.paged + state.shown),
           (unsigned long)root_sum(UC_STAT_LOCK_WRITE), (unsigned long)root_calls(""),
           root_replaced());
    return 0;
}
