// SPDX-License-Identifier: MIT
// Owns the steps of those who close a lock: writers that wait, try and give up, eviction, and
// forbidding (preload/bias.c, bias_word.c).
#include "state.h"

// Looks at the next entry. 1: somebody; 0: go on; -1: nobody in any.
static int scan(const struct state *s, struct thread *th)
{
    int e = th->at_entry;
    if (handed(s, e) < may_hold(s, e)) {
        th->at_entry = 0;
        return 1;
    }
    th->at_entry = (uint8_t)(e + 1 < s->entries ? e + 1 : 0);
    return e + 1 < s->entries ? 0 : -1;
}

static bool forbids(const struct thread *th)
{
    return th->role == FORBID || th->role == CONFINE;
}

// A release that has to close the lock.
static bool releases(const struct thread *th)
{
    return th->role < WRITE || th->role == STRANGER;
}

static bool hands_over(const struct state *s)
{
    return s->handing && !left_out(17);
}

static bool step_barrier(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    switch (th->at) {
    case W_BUSY:
        s->busy++;
        th->at = W_ASK;
        return true;
    case W_ASK:
        th->late = s->forbidden;
        th->at = th->late ? W_FREE : W_BARRIER;
        return true;
    case W_BARRIER:
        if (!left_out(2))
            land_all(s);
        th->at = W_FREE;
        return true;
    case W_FREE:
        s->busy--;
        th->at = th->late ? W_LATE : releases(th) ? F_BEGIN : W_SCAN;
        return true;
    case W_LATE:
        if (!s->ended)
            return false;
        th->late = 0;
        th->at = releases(th) ? F_BEGIN : W_SCAN;
        return true;
    }
    return false;
}

static bool step_closing(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    int found;
    switch (th->at) {
    case W_LOOK:
        th->at = !is_open(s) ? W_LIBC : th->role == TRY ? W_PEEK : W_CLOSE;
        return true;
    case W_PEEK:
        found = holds(s, th->at_entry);
        th->at_entry = (uint8_t)(th->at_entry + 1);
        if (found && is_open(s)) {
            th->at = DONE;
        } else if (th->at_entry == s->entries) {
            th->at_entry = 0;
            th->at = W_CLOSE;
        }
        return true;
    case W_CLOSE:
        if (!is_open(s)) {
            th->at = th->role == EVICT ? DONE
                     : forbids(th)     ? F_ENDED
                     : releases(th)    ? S_LIBC
                                       : W_LIBC;
            return true;
        }
        s->count++;
        s->closed = 1;
        s->biased = 0;
        th->joined = 1;
        th->at = forbids(th) ? F_BARRIER : !s->fences ? W_BUSY : releases(th) ? F_BEGIN : W_SCAN;
        return true;
    case W_SCAN:
        found = scan(s, th);
        if (found < 0 && !hands_over(s))
            th->at = W_DRAINED;
        else if (found != 0)
            th->at = th->role == TRY     ? W_GIVE_BACK
                     : th->role == EVICT ? E_LOWER
                     : left_out(7)       ? W_SEEN
                                         : W_SLEEPERS;
        return true;
    }
    return false;
}

// Sleeps until a reader left or the deadline came, and looks again.
static bool step_sleeping(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    int found;
    switch (th->at) {
    case W_SLEEPERS:
        s->sleepers++;
        th->at = W_SEEN;
        return true;
    case W_SEEN:
        th->seen = s->left;
        th->at = left_out(7) ? W_SLEEP : W_SCAN_AGAIN;
        return true;
    case W_SCAN_AGAIN:
        found = !is_open(s) ? -1 : scan(s, th);
        if (found < 0 && !is_open(s))
            th->at_entry = 0;
        else if (found < 0 && hands_over(s))
            found = 1;
        if (found < 0)
            th->at = W_AWAKE;
        else if (found > 0)
            th->at = th->expired ? W_AWAKE : W_SLEEP;
        if (th->at == W_AWAKE)
            th->seen = found > 0; // still held: the deadline it is
        return true;
    case W_SLEEP:
        if (s->left != th->seen)
            th->at = W_SEEN;
        else if (th->role == GIVE_UP) {
            th->expired = 1; // one that does not expire is what WRITE is
            th->at = W_SEEN;
        } else
            th->at = W_ASLEEP;
        th->seen = 0;
        return true;
    case W_AWAKE:
        s->sleepers--;
        th->at = th->seen ? W_GIVE_BACK : W_DRAINED;
        th->seen = 0;
        return true;
    case W_DRAINED:
        s->drained = 1;
        th->at = th->role == EVICT ? E_LOWER : W_LIBC;
        return true;
    case W_GIVE_BACK:
    case E_LOWER:
        lower(s);
        th->joined = 0;
        th->at = DONE;
        return true;
    }
    return false;
}

bool step_writer(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    switch (th->at) {
    case W_LIBC:
        if (s->libc_writer || s->libc_readers) {
            if (th->role == WRITE || th->role == FORBID)
                return false;
            th->at = th->joined ? W_GIVE_BACK : DONE;
            return true;
        }
        s->libc_writer = (uint8_t)(t + 1);
        th->at = th->role == FORBID ? W_IN : th->joined ? W_LOWER : W_CHECK;
        return true;
    case W_LOWER:
        lower(s);
        th->joined = 0;
        th->at = W_CHECK;
        return true;
    case W_CHECK:
        th->at = is_open(s) && !left_out(3) ? W_RELEASE : W_IN;
        return true;
    case W_RELEASE:
        s->libc_writer = 0;
        th->at = ++th->passes < 3 ? W_LOOK : DONE; // bias given that often in between: enough seen
        return true;
    case W_IN:
        th->at = W_OUT;
        return true;
    case W_OUT:
        s->libc_writer = 0;
        th->at = DONE;
        return true;
    }
    return step_barrier(s, t) || step_closing(s, t) || step_sleeping(s, t);
}

static uint8_t after_handing_over(const struct thread *th)
{
    return releases(th) ? S_LOWER : W_LIBC;
}

// One entry, until libc counts all that it may hold.
static bool step_handing_entry(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    int e = th->at_entry;
    switch (th->at) {
    case F_HAND:
        if (handed(s, e) < may_hold(s, e)) {
            th->seen = holds(s, e);
            th->at = F_READ;
        } else if (s->life[e] == GHOST && !left_out(18)) {
            th->back = F_NEXT;
            th->at = B_HOLDS;
        } else {
            th->at = F_NEXT;
        }
        return true;
    case F_READ:
        th->seen = 0;
        if (!s->libc_writer) {
            s->libc_readers++;
            th->at = F_COUNT;
        } else {
            th->at = F_HAND; // looks and tries again
        }
        return true;
    case F_COUNT:
        if (left_out(16)) {
            s->handed[e]++;
            th->at = F_SETTLE;
        } else {
            s->handed[e] |= PENDING;
            th->at = F_SURE;
        }
        return true;
    case F_SURE:
        th->at = handed(s, e) < may_hold(s, e) ? F_CONFIRM : F_RETURN;
        if (th->at == F_RETURN)
            s->handed[e] &= (uint8_t)~PENDING;
        return true;
    case F_CONFIRM:
        th->at = s->handed[e] & PENDING ? F_SETTLE : F_RETURN;
        if (th->at == F_SETTLE)
            s->handed[e] = (uint8_t)(handed(s, e) + 1);
        return true;
    case F_RETURN:
        s->libc_readers--;
        th->at = F_SETTLE;
        return true;
    case F_SETTLE:
        if (!settle(s, e))
            th->at = F_HAND;
        return true;
    case F_NEXT:
        th->at_entry = (uint8_t)(e + 1 < s->entries ? e + 1 : 0);
        th->at = th->at_entry ? F_HAND : F_DRAINED;
        return true;
    }
    return false;
}

bool step_handing_over(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    switch (th->at) {
    case F_BEGIN:
        th->at = s->closed && !s->drained ? F_HANDER : after_handing_over(th);
        return true;
    case F_HANDER:
        if (s->handing)
            return false;
        s->handing = (uint8_t)(t + 1);
        th->at = F_HAND;
        return true;
    case F_DRAINED:
        s->drained = 1;
        th->at = F_END;
        return true;
    case F_END:
        s->handing = 0;
        th->at = F_WAKE;
        return true;
    case F_WAKE:
        wake(s);
        th->at = after_handing_over(th);
        return true;
    }
    return step_handing_entry(s, t);
}

bool step_forbidding(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    switch (th->at) {
    case F_STOP:
        th->at = s->forbidden ? F_SECOND : F_WAIT;
        s->forbidden = 1;
        return true;
    case F_SECOND:
        if (!s->ended)
            return false;
        th->at = th->role == CONFINE ? DONE : F_BEGIN;
        return true;
    case F_WAIT:
        if (s->busy && !left_out(9))
            return false;
        th->at = is_open(s) ? W_CLOSE : F_ENDED;
        return true;
    case F_BARRIER:
        if (!left_out(2) && !s->fences)
            land_all(s);
        th->at = F_ENDED;
        return true;
    case F_ENDED:
        s->ended = 1;
        th->at = th->role == CONFINE ? DONE : F_BEGIN;
        return true;
    }
    return step_release(s, t) || step_writer(s, t);
}
