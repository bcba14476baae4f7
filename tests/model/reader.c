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
        if (fenced && !settle(s, t)) {
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

// In the section, once or twice deep.
static bool step_in_section(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    bool fenced = th->stores == 0; // what a locked instruction waits for
    switch (th->at) {
    case R_FAST:
        th->at = th->role == READ_TWICE && !th->nested ? R_DEEPER : R_FAST_UNLOCK;
        return true;
    case R_DEEPER: // raise_depth: its own check of `handed` stands for both of the code's
        if (!fenced)
            return false;
        th->nested = 1;
        if (s->handed[t] || s->depth[t] == 0) {
            th->at = R_FAST_UNLOCK;
            return true;
        }
        s->depth[t]++;
        th->at = R_NESTED;
        return true;
    case R_NESTED:
        th->at = R_SHALLOWER;
        return true;
    case R_SHALLOWER:
        if (!fenced)
            return false;
        s->depth[t]--;
        (void)settle(s, t);
        th->at = R_FAST_UNLOCK;
        return true;
    case R_SLOW:
        th->at = R_SLOW_UNLOCK;
        return true;
    }
    return false;
}

static bool step_releasing(struct state *s, int t)
{
    struct thread *th = &s->thread[t];
    bool fenced = th->stores == 0; // what a locked instruction waits for
    switch (th->at) {
    case R_FAST_UNLOCK:
        th->at = plainly_biased(s) && !s->fences ? R_FAST_DEPTH : R_SLOW_DEPTH;
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
        th->at = plainly_biased(s) ? DONE : R_SETTLE;
        return true;
    case R_SLOW_LOCK:
        if (fenced) {
            s->lock[t] = 0;
            th->at = R_SETTLE;
        }
        return fenced;
    case R_SETTLE:
        if (fenced && !settle(s, t))
            th->at = R_WAKE;
        return fenced;
    case R_WAKE:
        wake(s);
        th->at = DONE;
        return true;
    case R_SLOW_UNLOCK:
        s->libc_readers--;
        th->at = DONE;
        return true;
    }
    return false;
}

bool step_reader(struct state *s, int t)
{
    return step_taking(s, t) || step_in_section(s, t) || step_releasing(s, t);
}
