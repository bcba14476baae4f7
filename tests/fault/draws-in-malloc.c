// SPDX-License-Identifier: MIT
// An allocator, preloaded like many are, that draws and locks in each of its functions, as some do
// to scatter what they hand out. Whatever allocates in there comes back in, without end. The test
// finds what was drawn in early_drawn, and how often in early_draws.
#include "../preload/lib/draw.h"
#include <stdatomic.h>

enum { DRAW = 16, KEPT = 512 };

uint8_t early_drawn[DRAW * KEPT];
_Atomic unsigned early_draws;

// libc's own, under the names that nobody interposes.
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void __libc_free(void *old);

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void draw_first(void)
{
    unsigned number = atomic_fetch_add(&early_draws, 1);
    int saved = errno;
    uint8_t scratch[DRAW];

    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    draw((enum draw_function)(number % DRAW_FUNCTIONS),
         number < KEPT ? early_drawn + DRAW * number : scratch, DRAW);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    errno = saved;
}

void *malloc(size_t bytes)
{
    draw_first();
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    draw_first();
    return __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    draw_first();
    return __libc_realloc(old, bytes);
}

void free(void *old)
{
    draw_first();
    __libc_free(old);
}
