// SPDX-License-Identifier: MIT
// Owns a release that finds nothing in the record of its own thread (preload/rwlock.c,
// unlock_with_care; bias_hold.c, drop_of; bias.c, uc_bias_unlock_for_another), and the end of a
// thread that holds (thread.c).
//
// One race is left out by construction, since it is accepted (docs/design.md): libc's lock counted
// somebody when it was looked at, so that this one seems to be the caller, and has let go of it
// when the caller does. Here the look and the release are one step, and who is about to let go is
// waited for.
#include "state.h"

static bool has_record(const struct thread *th)
{
    return th->role != READ_END;
}

static uint8_t ends_release(struct thread *th)
{
    if (th->owes) {
        th->owes--;
        return S_LOOK;
    }
    return th->role == READ_ON ? O_STORE : DONE;
}

// Whom libc's lock counts, and who goes on being counted.
static int stay(const struct state *s)
{
    int n = s->libc_readers;
    for (int t = 0; t < THREADS; t++)
        n -= s->thread[t].at == S_LIBC;
    return n;
}

static bool step_looking(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    switch (th->at) {
    case S_BEGIN:
        if (!s->kept)
            return false;
        s->kept--;
        th->at = S_LOOK;
        return true;
    case S_LOOK:
        th->at_entry = 0;
        th->at = is_open(s) ? S_PEEK : S_LIBC;
        return true;
    case S_PEEK: // seen: libc counts somebody
        if (s->libc_readers && stay(s) <= 0)
            return false;
        th->seen = s->libc_readers != 0;
        if (th->seen && has_record(th)) {
            s->libc_readers--;
            th->seen = 0;
            th->at = ends_release(th);
        } else {
            th->at = S_GHOST;
        }
        return true;
    case S_NEXT:
        th->at_entry = (uint8_t)(th->at_entry + 1 < s->entries ? th->at_entry + 1 : 0);
        th->at = th->at_entry ? S_GHOST : S_FIND;
        if (th->at == S_FIND && th->seen && s->libc_readers) {
            s->libc_readers--;
            th->at = ends_release(th);
        }
        if (th->at != S_GHOST)
            th->seen = 0;
        return true;
    case S_FIND:
        if (!left_out(19) && holds(s, th->at_entry)) {
            th->at_entry = 0;
            th->at = W_CLOSE;
            return true;
        }
        th->at_entry = (uint8_t)(th->at_entry + 1 < s->entries ? th->at_entry + 1 : 0);
        th->at = th->at_entry ? S_FIND : S_LIBC;
        return true;
    }
    return false;
}

static bool step_ending_release(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    switch (th->at) {
    case S_LOWER:
        lower(s);
        th->joined = 0;
        th->at = S_LIBC;
        return true;
    case S_LIBC:
        s->libc_readers--;
        th->at = ends_release(th);
        return true;
    case S_DONE:
        th->at = ends_release(th);
        return true;
    }
    return false;
}

static bool step_ghost(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    int e = th->at_entry;
    switch (th->at) {
    case S_GHOST:
        th->at = s->life[e] != GHOST || !holds(s, e) ? S_NEXT : left_out(14) ? S_DEPTH : S_CLAIM;
        return true;
    case S_CLAIM:
        th->at = s->life[e] == GHOST ? S_SURE : S_NEXT;
        if (th->at == S_SURE)
            s->life[e] = BURIED;
        return true;
    case S_SURE:
        th->at = holds(s, e) ? S_DEPTH : S_BACK;
        return true;
    case S_DEPTH:
        if (s->depth[e] == 0) {
            th->at = S_BACK;
            return true;
        }
        th->at = --s->depth[e] == 0 ? S_LOCK : S_SETTLE;
        return true;
    case S_LOCK:
        if (s->lock[e] == 1)
            s->lock[e] = 0;
        th->at = S_SETTLE;
        return true;
    case S_SETTLE:
        if (!settle(s, e))
            th->at = S_WAKE;
        return true;
    case S_WAKE:
        wake(s);
        th->dropped = 1;
        th->at = S_BACK;
        return true;
    case S_BACK:
        if (!left_out(14))
            s->life[e] = GHOST;
        th->back = th->dropped ? S_DONE : S_NEXT;
        th->dropped = 0;
        if (th->back == S_DONE)
            th->seen = 0;
        th->at = B_HOLDS;
        return true;
    }
    return false;
}

static bool step_leaving(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    int e = th->record;
    switch (th->at) {
    case L_NEXT:
        if (s->life[e] != FREE)
            return false;
        s->life[e] = LIVE;
        th->at = R_LOOK;
        return true;
    case L_KEPT:
        if (th->stores)
            return false;
        th->at = s->lock[e] == 0 ? L_SETTLE : is_forgotten(s, e) ? L_LOCK : L_GHOST;
        return true;
    case L_LOCK:
        s->lock[e] = 0;
        th->at = L_SETTLE;
        return true;
    case L_SETTLE:
        if (settle(s, e))
            return true;
        wake(s);
        s->life[e] = FREE;
        s->ending--;
        th->at = S_LOOK;
        return true;
    case L_GHOST:
        s->life[e] = GHOST;
        s->ending--;
        th->at_entry = (uint8_t)e;
        th->back = S_LOOK;
        th->at = B_HOLDS;
        return true;
    }
    return false;
}

static bool step_burying(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    int e = th->at_entry;
    switch (th->at) {
    case B_HOLDS:
        th->at = s->life[e] == GHOST && !holds(s, e) ? B_CLAIM : B_DONE;
        return true;
    case B_CLAIM:
        th->at = s->life[e] == GHOST ? B_KEPT : B_DONE;
        if (th->at == B_KEPT)
            s->life[e] = BURIED;
        return true;
    case B_KEPT:
        if (s->lock[e] == 0) {
            th->at = B_FREE;
        } else if (is_forgotten(s, e)) {
            th->at = B_LOCK;
        } else {
            s->life[e] = GHOST;
            th->at = B_HOLDS;
        }
        return true;
    case B_LOCK:
        s->lock[e] = 0;
        while (settle(s, e)) {
        }
        wake(s);
        th->at = B_FREE;
        return true;
    case B_FREE:
        s->life[e] = FREE;
        th->at = B_DONE;
        return true;
    case B_DONE:
        th->at = th->back;
        th->back = 0;
        return true;
    }
    return false;
}

bool step_release(struct state *s, int t)
{
    return step_looking(s, t) || step_ending_release(s, t) || step_ghost(s, t) ||
           step_leaving(s, t) || step_burying(s, t) || step_handing_over(s, t);
}
