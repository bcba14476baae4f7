// SPDX-License-Identifier: MIT
// A counter in a file of its own, which link-time optimisation inlines into some of its callers.
#include "lto.h"

void lto_count(struct odd_state *s)
{
    pthread_rwlock_wrlock(&s->lock);
    s->shown++;
    pthread_rwlock_unlock(&s->lock);
}
