// SPDX-License-Identifier: MIT
// Owns the state of the model and the names of its steps. A state is plain bytes without gaps, so
// that two can be compared and hashed as they are.
#ifndef MODEL_STATE_H
#define MODEL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { READERS = 3, OTHERS = 2, THREADS = READERS + OTHERS, BUFFER = 4 };

enum role {
    ABSENT,
    READ,
    READ_TWICE,
    READ_ON,   // then takes another lock, which has the same entry
    READ_KEEP, // and never releases it: a STRANGER does
    READ_LEND, // and releases one hold, whosever that is
    READ_END,  // its thread ends with the hold, and releases it then
    READ_NEXT, // in the record of one that ended
    WRITE,
    TRY,
    GIVE_UP,
    EVICT,
    FORBID,
    CONFINE,
    STRANGER,
};

// What a thread does next. Readers:
enum {
    DONE,
    R_LOOK,      // at the word: biased?
    R_STORE,     // the entry
    R_AGAIN,     // at the word
    R_UNDO,      // the entry
    R_UNDO_WAKE, // a writer that waits
    R_CONFIRM,   // depth
    R_FAST,      // in the section
    R_DEEPER,    // takes it once more
    R_NESTED,    // in the section, twice
    R_SHALLOWER, // gives that back
    R_FAST_UNLOCK,
    R_FAST_DEPTH,
    R_FAST_LOCK,
    R_FAST_LOOK,
    R_FAST_HANDED, // does libc count it?
    R_LENT,        // in the section, until somebody's release may be its own
    R_FORGET,      // what libc counts all of
    R_FORGET_LOCK,
    R_SLOW_DEPTH,
    R_SLOW_LOCK,
    R_SETTLE,
    R_WAKE,
    R_LIBC, // libc's read lock
    R_GIVE, // bias, perhaps
    R_SLOW, // in the section
    // another lock, by the same entry:
    O_STORE,
    O_CONFIRM,
    O_IN,
    O_FORGET,
    O_DEPTH,
    O_LOCK,
    O_SETTLE,
    // a release that finds nothing in the record of its own thread:
    S_BEGIN,
    S_LOOK,  // at the word
    S_PEEK,  // at libc's lock
    S_GHOST, // the next record: is it a ghost's, and does it hold?
    S_CLAIM, // that record
    S_SURE,  // does it still hold?
    S_DEPTH,
    S_LOCK,
    S_SETTLE,
    S_WAKE,
    S_BACK, // the record
    S_NEXT,
    S_FIND, // somebody's hold
    S_LOWER,
    S_LIBC, // its unlock
    S_DONE,
    // a thread ends, and a ghost is buried:
    L_NEXT, // waits for a record
    L_KEPT,
    L_LOCK,
    L_SETTLE,
    L_GHOST,
    B_HOLDS,
    B_CLAIM,
    B_KEPT,
    B_LOCK,
    B_FREE,
    B_DONE,
    // writers:
    W_LOOK,
    W_PEEK, // a try: somebody sure to hold it?
    W_CLOSE,
    W_BUSY, // says that it may pass the barrier
    W_ASK,  // whether bias is forbidden
    W_BARRIER,
    W_FREE, // is busy no more
    W_LATE, // it was: waits for the barrier of whoever forbade it
    W_SCAN,
    W_SLEEPERS,
    W_SEEN,
    W_SCAN_AGAIN,
    W_SLEEP,
    W_ASLEEP,
    W_AWAKE,
    W_DRAINED,
    W_GIVE_BACK,
    W_LIBC,
    W_LOWER,
    W_CHECK,
    W_RELEASE, // had it too early
    W_IN,      // in the section
    W_OUT,
    // evict and forbid, what differs:
    E_LOWER,
    F_STOP,
    F_SECOND, // somebody else did: waits for that
    F_WAIT,   // for those who are busy
    F_BARRIER,
    F_ENDED,
    F_BEGIN, // to hand over
    F_HANDER,
    F_HAND,
    F_READ, // libc's lock, for an entry
    F_COUNT,
    F_SURE, // is it still there?
    F_CONFIRM,
    F_RETURN, // what libc counted in vain
    F_SETTLE,
    F_NEXT,
    F_DRAINED,
    F_END,
    F_WAKE,
};

enum { LOCK, DEPTH };

enum { LIVE, GHOST, BURIED, FREE };
enum { PENDING = 128 }; // in handed: not sure yet, counts as nothing

struct thread {
    uint8_t role, at, at_entry, seen, joined, expired, passes, nested, late;
    uint8_t record, back, dropped, owes; // back: from a burial; owes: releases that are to come
    uint8_t stores, store[BUFFER];       // oldest first: LOCK or DEPTH in bit 7, value below
};

struct state {
    uint8_t biased, closed, drained, count; // the word
    uint8_t left, sleepers, forked, fences; // fences: no membarrier here
    uint8_t forbidden, busy, ended, handing;
    uint8_t libc_readers, libc_writer;                                     // writer: thread + 1
    uint8_t lock[READERS], depth[READERS], handed[READERS], life[READERS]; // lock: 2 is another
    uint8_t entries, kept, ending, none; // kept: STRANGERs release these; ending: of READ_ENDs
    struct thread thread[THREADS];
} __attribute__((aligned(8)));

// --- what several steps share (state.c) ---

// The care with this number is left out: 1 the reader's second look, 2 the barrier, 3 the look
// after libc's lock, 4 waking, 5 the bias that a giving-up writer leaves, 6 settling, 7 counting
// the sleeper before the look, 8 the fork's care, 9 waiting for those who are busy, 10 a sleeper's
// count in its child, 11 what that has closed, 12 its second look, 13 the owner's look whether libc
// counts what it let go of, 14 that one thread at a time changes a ghost, 15 that what libc counts
// all of is forgotten, 16 that a count is not sure at first, 17 the look for one who hands over, 18
// the burial after that, 19 handing over for a stranger.
extern int fault;
bool left_out(int n);

bool is_open(const struct state *s);
bool plainly_biased(const struct state *s);

// Into reader t's store buffer; land() takes its oldest store from there to memory.
void store(struct state *s, int t, int what, int value);
void land(struct state *s, int t);
void land_all(struct state *s);

void wake(struct state *s);
void lower(struct state *s);
int may_hold(const struct state *s, int e);
int handed(const struct state *s, int e);  // for sure
bool holds(const struct state *s, int e);  // and libc does not count it
bool is_forgotten(struct state *s, int e); // all of it was counted by libc: nothing is left then
// Takes back one unit that libc counts and nobody holds any more. True: there was one.
bool settle(struct state *s, int e);

// --- steps (reader.c, release.c, writer.c): false when the thread cannot move now ---

bool step_reader(struct state *s, int t);
bool step_writer(struct state *s, int t);
// FORBID forbids bias, hands every hold over to libc, then writes with libc's functions alone.
// CONFINE does no more than the first; what comes after it is inside a filter.
bool step_forbidding(struct state *s, int t);
bool step_handing_over(struct state *s, int t);
// Any release that finds nothing of its own, and the end of a thread (release.c).
bool step_release(struct state *s, int t);

#endif
