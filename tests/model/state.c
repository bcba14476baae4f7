// SPDX-License-Identifier: MIT
// Owns the accesses to the word, to libc's counts and to the store buffers that several steps
// share.
#include "state.h"

#include <string.h>

int fault;

bool left_out(int n)
{
    return fault == n;
}

bool is_open(const struct state *s)
{
    return (s->biased || s->closed) && !s->drained;
}

bool plainly_biased(const struct state *s)
{
    return s->biased && !s->closed;
}

void store(struct state *s, int t, int what, int value)
{
    struct thread *th = &s->thread[t];
    th->store[th->stores++] = (uint8_t)(what << 7 | value);
}

void land(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    uint8_t v = th->store[0];
    memmove(th->store, th->store + 1, BUFFER - 1);
    th->store[BUFFER - 1] = 0;
    th->stores--;
    int e = s->thread[t].record;
    *(v >> 7 == LOCK ? &s->lock[e] : &s->depth[e]) = v & 127;
}

void land_all(struct state *s)
{
    for (int t = 0; t < READERS; t++) {
        while (s->thread[t].stores)
            land(s, t);
    }
}

void wake(struct state *s)
{
    if (!s->closed || left_out(4))
        return;
    s->left++;
    if (!s->sleepers)
        return;
    for (int t = 0; t < THREADS; t++) {
        if (s->thread[t].at == W_ASLEEP)
            s->thread[t].at = W_SEEN;
    }
}

void lower(struct state *s)
{
    if (s->count > 1) {
        s->count--;
        return;
    }
    s->biased = s->drained || left_out(5) ? 0 : 1;
    s->closed = s->drained = s->count = 0;
}

int may_hold(const struct state *s, int e)
{
    return s->lock[e] != 1 ? 0 : s->depth[e] ? s->depth[e] : 1;
}

int handed(const struct state *s, int e)
{
    return s->handed[e] & ~PENDING;
}

bool holds(const struct state *s, int e)
{
    return s->lock[e] == 1 && s->depth[e] > handed(s, e);
}

bool is_forgotten(struct state *s, int e)
{
    if (s->handed[e] != s->depth[e])
        return false;
    s->handed[e] = s->depth[e] = 0;
    return true;
}

bool settle(struct state *s, int e)
{
    if (s->handed[e] & PENDING) {
        s->handed[e] &= (uint8_t)~PENDING; // whoever is not sure hears of it
        return true;
    }
    if (left_out(6) || s->handed[e] <= may_hold(s, e))
        return false;
    s->handed[e]--;
    s->libc_readers--;
    return true;
}
