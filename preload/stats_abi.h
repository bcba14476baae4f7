// SPDX-License-Identifier: MIT
// The layout that `uncontend` reads out of a running process, found by the one exported data
// symbol, uncontend_root. Everything here is plain memory in the target: no pointer is followed
// before its range was checked by the reader.
#ifndef UC_STATS_ABI_H
#define UC_STATS_ABI_H

#include "compiler.h"

enum { UC_STATS_ABI = 1, UC_CHUNKS = 8, UC_COUNTER_SLOTS = 16 };

#define UC_ROOT_MAGIC "uncontend-root"

enum uc_stat {
#define UC_STAT(upper, lower, help) UC_STAT_##upper,
#include "stats.def"
#undef UC_STAT
    UC_STAT_COUNT
};

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
};

#endif
