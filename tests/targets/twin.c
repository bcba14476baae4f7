// SPDX-License-Identifier: MIT
// Two functions with the same code, which a linker with identical code folding makes one; and one
// that is inlined into one of its two callers.
#include "odd.h"

#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define API    __attribute__((visibility("default")))

HIDDEN void twin_requests(struct odd_state *s);
HIDDEN void twin_responses(struct odd_state *s);
HIDDEN void inlined_count(struct odd_state *s);

void twin_requests(struct odd_state *s)
{
    pthread_rwlock_wrlock(&s->lock);
    s->count++;
    pthread_rwlock_unlock(&s->lock);
}

void twin_responses(struct odd_state *s)
{
    pthread_rwlock_wrlock(&s->lock);
    s->count++;
    pthread_rwlock_unlock(&s->lock);
}

inline __attribute__((always_inline)) void inlined_body(struct odd_state *s);
inline void inlined_body(struct odd_state *s)
{
    pthread_rwlock_wrlock(&s->lock);
    s->shown++;
    pthread_rwlock_unlock(&s->lock);
}

__attribute__((noinline)) void inlined_count(struct odd_state *s)
{
    inlined_body(s);
}

// What half-inlined callers look like: one of every two counts is a call.
static __attribute__((noinline)) void call_inlined(struct odd_state *s, uint64_t i)
{
    if (i % 2)
        inlined_count(s);
    else
        inlined_body(s);
}

API int odd_call(const char *name, struct odd_state *s, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (strcmp(name, "twin_requests") == 0)
            twin_requests(s);
        else if (strcmp(name, "twin_responses") == 0)
            twin_responses(s);
        else if (strcmp(name, "inlined_count") == 0)
            call_inlined(s, i);
        else
            return -1;
    }
    return 0;
}
