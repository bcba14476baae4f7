// SPDX-License-Identifier: MIT
// Owns a reader's steps: preload/rwlock.h, and what it calls of preload/bias_hold.c and bias.c.
#include "state.h"

static bool step_taking(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    bool fenced = th->stores == 0; // what a locked instruction waits for
    switch (th->at) {
    case R_LOOK:
        th->at = plainly_biased(s) ? R_STORE : R_LIBC;
        return true;
    case R_STORE:
        store(s, t, LOCK, 1);
        th->at = left_out(1) ? R_CONFIRM : R_AGAIN;
        return true;
    case R_AGAIN:
        if (s->fences && !fenced)
            return false;
        th->at = plainly_biased(s) ? R_CONFIRM : R_UNDO;
        return true;
    case R_UNDO:
        store(s, t, LOCK, 0);
        th->at = R_UNDO_WAKE;
        return true;
    case R_UNDO_WAKE: // and settle, as the last step of an unlock does
        if (fenced && !settle(s, th->record)) {
            wake(s);
            th->at = R_LIBC;
        }
        return fenced;
    case R_CONFIRM:
        store(s, t, DEPTH, 1);
        th->at = R_FAST;
        return true;
    case R_LIBC:
        if (!fenced || s->libc_writer)
            return false;
        s->libc_readers++;
        th->at = R_GIVE;
        return true;
    }
    return false;
}

// The section is over; what comes then depends on the role.
static uint8_t leave_section(struct state *s, int t, uint8_t at)
{
    switch (s->thread[t].role) {
    case READ_KEEP:
        s->kept++;
        return DONE;
    case READ_LEND:
        s->kept++;
        return R_LENT;
    case READ_END:
        s->ending++;
        return L_KEPT;
    default:
        return at;
    }
}

// In the section, once or twice deep.
static bool step_in_section(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    bool fenced = th->stores == 0; // what a locked instruction waits for
    int e = th->record;
    switch (th->at) {
    case R_FAST:
        if ((th->role == READ_KEEP || th->role == READ_LEND) && !fenced)
            return false; // a stranger knows of the hold, so that it has been stored
        th->at =
            th->role == READ_TWICE && !th->nested ? R_DEEPER : leave_section(s, t, R_FAST_UNLOCK);
        return true;
    case R_DEEPER: // raise_depth: its own check of `handed` stands for both of the code's
        if (!fenced)
            return false;
        th->nested = 1;
        if (s->handed[e] || s->depth[e] == 0) {
            th->at = R_FAST_UNLOCK;
            return true;
        }
        s->depth[e]++;
        th->at = R_NESTED;
        return true;
    case R_NESTED:
        th->at = R_SHALLOWER;
        return true;
    case R_SHALLOWER:
        if (!fenced)
            return false;
        if (!left_out(15) && is_forgotten(s, e)) {
            th->owes = 1;
            th->at = R_FORGET_LOCK;
            return true;
        }
        s->depth[e]--;
        (void)settle(s, e);
        th->at = R_FAST_UNLOCK;
        return true;
    case R_SLOW:
        th->at = leave_section(s, t, S_LOOK);
        return true;
    }
    return false;
}

static bool step_releasing(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    bool fenced = th->stores == 0; // what a locked instruction waits for
    int e = th->record;
    switch (th->at) {
    case R_LENT:
        if (!s->kept)
            return false;
        s->kept--;
        th->at = s->lock[e] ? R_FAST_UNLOCK : S_LOOK;
        return true;
    case R_FAST_UNLOCK:
        if (!s->biased && !s->closed && fenced && s->handed[e] && s->handed[e] == s->depth[e])
            th->at = S_LIBC; // no word says that there may be a fast hold
        else
            th->at = plainly_biased(s) && !s->fences && !s->handed[e] ? R_FAST_DEPTH : R_FORGET;
        return true;
    case R_FORGET:
        if (fenced)
            th->at = !left_out(15) && is_forgotten(s, e) ? R_FORGET_LOCK : R_SLOW_DEPTH;
        return fenced;
    case R_FORGET_LOCK:
        s->lock[e] = 0;
        while (settle(s, e)) {
        }
        wake(s);
        th->at = S_LOOK;
        return true;
    case R_FAST_DEPTH:
    case R_SLOW_DEPTH:
        store(s, t, DEPTH, 0);
        th->at++;
        return true;
    case R_FAST_LOCK:
        store(s, t, LOCK, 0);
        th->at = R_FAST_LOOK;
        return true;
    case R_FAST_LOOK:
        th->at = !plainly_biased(s) ? R_SETTLE : left_out(13) ? S_DONE : R_FAST_HANDED;
        return true;
    case R_FAST_HANDED:
        th->at = s->handed[e] ? R_SETTLE : S_DONE;
        return true;
    case R_SLOW_LOCK:
        if (fenced) {
            s->lock[e] = 0;
            th->at = R_SETTLE;
        }
        return fenced;
    case R_SETTLE:
        if (fenced && !settle(s, e))
            th->at = R_WAKE;
        return fenced;
    case R_WAKE:
        wake(s);
        th->at = S_DONE;
        return true;
    }
    return false;
}

// A lock that stays biased and that nobody writes.
static bool step_another_lock(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    bool fenced = th->stores == 0;
    int e = th->record;
    if (th->stores == BUFFER)
        return false;
    switch (th->at) {
    case O_STORE:
        if (fenced && s->lock[e]) { // still there, though libc counts it: the entry is not free
            th->at = DONE;
            return true;
        }
        store(s, t, LOCK, 2);
        th->at = O_CONFIRM;
        return true;
    case O_CONFIRM:
        store(s, t, DEPTH, 1);
        th->at = O_IN;
        return true;
    case O_IN:
        th->at = s->handed[e] ? O_FORGET : O_DEPTH;
        return true;
    case O_FORGET:
        if (fenced) // then libc's lock is released, which does not count this one
            th->at = is_forgotten(s, e) ? O_LOCK : O_DEPTH;
        return fenced;
    case O_DEPTH:
        store(s, t, DEPTH, 0);
        th->at = O_LOCK;
        return true;
    case O_LOCK:
        store(s, t, LOCK, 0);
        th->at = O_SETTLE;
        return true;
    case O_SETTLE: // as where the word has changed: the hold looks at what is counted for it
        if (s->handed[e] && !fenced)
            return false;
        if (!s->handed[e] || !settle(s, e))
            th->at = DONE;
        return true;
    }
    return false;
}

bool step_reader(struct state *s, int t)
{
    return step_taking(s, t) || step_in_section(s, t) || step_releasing(s, t) ||
           step_another_lock(s, t) || step_release(s, t);
}
