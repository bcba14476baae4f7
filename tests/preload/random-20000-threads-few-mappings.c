// SPDX-License-Identifier: MIT
// A mapping for each thread's state runs into vm.max_map_count. The threads' stacks lie in one
// mapping of our own and are as small as libc allows, so a draw that needs much stack fails too.
// claim: 20,000 live threads that each drew cost at most 8 mappings and 2 KiB each, later ones none
// matrix: random
// alone
// time: 60
#include "lib/draw.h"
#include "lib/maps.h"
#include "lib/pool.h"
#include <limits.h>

enum { THREADS = 20000, MAPPINGS = 8, MEMORY = 2048, FEWEST = 500, PAGE = 4096 };

static struct pool *pool;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t leave = PTHREAD_COND_INITIALIZER, all_there = PTHREAD_COND_INITIALIZER;
static long here, expected;
static int may_leave;
static pthread_t threads[THREADS];

static void *thread_main(void *number)
{
    uint8_t drawn[32];

    draw((enum draw_function)((uintptr_t)number % DRAW_FUNCTIONS), drawn, sizeof(drawn));
    pool_add(pool, POOL_PARTY('t', (uintptr_t)number), drawn, sizeof(drawn));
    pthread_mutex_lock(&mutex);
    if (++here == expected)
        pthread_cond_signal(&all_there);
    while (!may_leave)
        pthread_cond_wait(&leave, &mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

// As many as may be started, at most `count`. They all draw, and stay.
static long start(char *stacks, size_t stack, long count)
{
    pthread_attr_t attributes;
    long started = 0;

    here = 0;
    may_leave = 0;
    expected = -1;
    CHECK_IS(pthread_attr_init(&attributes), 0);
    for (; started < count; started++) {
        CHECK_IS(pthread_attr_setstack(&attributes, stacks + (size_t)started * stack, stack), 0);
        if (pthread_create(&threads[started], &attributes, thread_main, (void *)started) != 0)
            break;
    }
    CHECK_IS(pthread_attr_destroy(&attributes), 0);
    pthread_mutex_lock(&mutex);
    expected = started;
    while (here < expected)
        pthread_cond_wait(&all_there, &mutex);
    pthread_mutex_unlock(&mutex);
    return started;
}

static void end(long count)
{
    pthread_mutex_lock(&mutex);
    may_leave = 1;
    pthread_cond_broadcast(&leave);
    pthread_mutex_unlock(&mutex);
    for (long i = 0; i < count; i++)
        check_join(threads[i]);
}

// Pages in memory of nameless mappings, where a preload would keep its state, but for our stacks.
struct resident {
    char *stacks;
    size_t pages;
};

static void add_resident(const struct maps_entry *entry, void *arg)
{
    static unsigned char present[1 << 16];
    struct resident *all = arg;

    if (entry->name[0] || entry->rights[1] != 'w')
        return;
    for (uintptr_t at = entry->from; at < entry->to; at += sizeof(present) * PAGE) {
        size_t bytes =
            entry->to - at < sizeof(present) * PAGE ? entry->to - at : sizeof(present) * PAGE;

        CHECK_CALL(mincore((void *)at, bytes, present));
        for (size_t i = 0; i < bytes / PAGE; i++)
            all->pages += (present[i] & 1) &&
                          (at + i * PAGE < (uintptr_t)all->stacks ||
                           at + i * PAGE >= (uintptr_t)all->stacks + THREADS * PTHREAD_STACK_MIN);
    }
}

static size_t resident(char *stacks)
{
    struct resident all = {stacks, 0};

    maps_visit(getpid(), 0, add_resident, &all);
    return all.pages * PAGE;
}

int main(void)
{
    long wanted = check_count(6000, THREADS), second;
    size_t stack = (size_t)PTHREAD_STACK_MIN, before, first, later, memory;
    char *stacks = mmap(NULL, (size_t)THREADS * stack, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

    check_deadline(50);
    CHECK(stacks != MAP_FAILED, "mmap: %s", strerror(errno));
    pool = pool_new(1 << 19);
    end(start(stacks, stack, 1));
    before = maps_count();
    memory = resident(stacks);
    wanted = start(stacks, stack, wanted);
    if (wanted < FEWEST)
        SKIP("no more than %ld threads are allowed", wanted);
    first = maps_count();
    CHECK(first <= before + MAPPINGS, "%zu mappings, and %zu with %ld threads", before, first,
          wanted);
    memory = resident(stacks) - memory;
    CHECK(memory <= (size_t)wanted * MEMORY, "%zu bytes for %ld threads", memory, wanted);
    end(wanted);
    // A second and third wave finds the states of the first.
    for (int wave = 0; wave < 2; wave++) {
        second = start(stacks, stack, wanted / 2);
        later = maps_count();
        end(second);
        CHECK(later <= first + 2, "%zu mappings in the first wave, %zu in a later one", first,
              later);
    }
    pool_unique(pool);
    return CHECK_PASS;
}
