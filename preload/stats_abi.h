// SPDX-License-Identifier: MIT
// The layout that `uncontend` reads out of a running process, found by the one exported data
// symbol, uncontend_root. Everything here is plain memory in the target: no pointer is followed
// before its range was checked by the reader.
// Cost: reading costs the target nothing: no signal, no lock, no store. Counting is one addition in
// a line of the thread's own (thread.h).
#ifndef UC_STATS_ABI_H
#define UC_STATS_ABI_H

#include "compiler.h"

enum { UC_STATS_ABI = 1, UC_CHUNKS = 8, UC_COUNTER_SLOTS = 16, UC_HOT_SLOTS = 8 };

#define UC_ROOT_MAGIC "uncontend-root"

enum uc_stat {
#define UC_STAT(upper, lower, help) UC_STAT_##upper,
#include "stats.def"
#undef UC_STAT
    UC_STAT_COUNT
};

// The functions that give a word. Their bytes are not counted in UC_STAT_RANDOM_BYTES: whoever adds
// up has UC_STAT_WORD for each call, and the quickest of all draws has one count less to do.
enum { UC_STAT_WORD = 4 };

static inline int uc_stat_is_word(enum uc_stat stat)
{
    return stat == UC_STAT_ARC4RANDOM || stat == UC_STAT_ARC4RANDOM_UNIFORM;
}

// What a feature turned out to be in this process.
struct uc_state {
    char name[16];    // "vdso", "drbg", "system"; "on", "spin", "off"; ...
    char reason[112]; // why not the first choice; empty when it is
};

// One replaced hidden function, by its place in struct uc_block.counter.
struct uc_counter_state {
    char what[120]; // "libssl.so.1:ssl_update_counter"
    char how[56];   // "add32(arg1)", or why not
    uint32_t active;
    uint32_t spare;
};

// A thread's counters. A block outlives its thread and is taken over, with its counts, by a later
// one: so sums never go backwards. Written by its thread alone.
struct uc_block {
    uint64_t stat[UC_STAT_COUNT];
    uint64_t counter[UC_COUNTER_SLOTS];
};

// Whom a lock kept waiting: one (lock, caller) of one thread. Written by its thread alone.
struct uc_hot {
    uint64_t state;  // UC_HOT_* and the number of owners that this entry has had
    uint64_t lock;   // address; 0: nobody's yet
    uint64_t caller; // where the lock function returns to, and UC_HOT_WRITE
    uint64_t tries;  // calls that did not get the lock at once
    uint64_t waits;  // of these, how many had to sleep
    uint64_t ticks;  // time from the first try to the end of the wait
    uint64_t longest;
};

#define UC_HOT_WRITE  (UINT64_C(1) << 63) // else to read
#define UC_HOT_MOVING UINT64_C(1)         // the entry is being given to another: do not read
#define UC_HOT_ADDING UINT64_C(2)
#define UC_HOT_NEXT   UINT64_C(4)

// Where the entries are: the chunk's records are followed by a table for each, in the same order.
// Behind struct uc_block shared, so that readers which do not know of it are not in its way.
struct uc_hot_place {
    uint32_t mark; // offset in struct uc_thread of a uint32_t; 0: its table was never written
    uint32_t count;
    uint32_t size;          // of struct uc_hot; may grow at its end
    uint32_t stride;        // bytes from one table to the next
    uint64_t started_ticks; // uc_ticks() at root.started
};

struct uc_chunk {
    uint64_t base;  // address of the first struct uc_thread, 0: not made yet
    uint64_t count; // of threads
};

struct uc_root {
    char magic[16];
    uint32_t abi;
    uint32_t size;         // of this struct
    uint32_t stat_count;   // UC_STAT_COUNT of the library
    uint32_t thread_size;  // bytes from one struct uc_thread to the next
    uint32_t block_offset; // of struct uc_block in it
    uint32_t high;         // threads [0, high) were ever used
    uint32_t active;       // 0: loaded, and leaves this program alone
    uint32_t pid;
    uint64_t started; // CLOCK_MONOTONIC nanoseconds
    char version[16];
    char program[64];
    struct uc_state random, locks, counters, dump_signal, whole;
    struct uc_chunk chunk[UC_CHUNKS];
    struct uc_counter_state counter[UC_COUNTER_SLOTS];
    struct uc_block shared; // counted by threads that have no block of their own; atomic
    struct uc_hot_place hot;
};

#endif
