// SPDX-License-Identifier: MIT
// A library whose constructor runs before anybody else's, and draws and locks there. The test finds
// what was drawn in early_drawn.
#include "../preload/lib/draw.h"

uint8_t early_drawn[DRAW_TASTE];

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

__attribute__((constructor)) static void draw_early(void)
{
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    draw_taste(early_drawn);
}
