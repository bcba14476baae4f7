// SPDX-License-Identifier: MIT
// Owns how statistics look: text, JSON, Prometheus, all from stats.def. Pure: the same code serves
// the dump inside the program and the tool outside. Must not look at anything but its arguments.
// Cost: one pass over the counters and rows, 96 KiB of the caller's buffer at most; no allocation,
// no system call.
#ifndef UC_RENDER_H
#define UC_RENDER_H

#include "options.h"
#include "stats_abi.h"
#include "text.h"

enum {
    UC_RENDER_MAX = 98304, // bytes: no view gives more than that
    UC_RENDER_WIDTH = 80,  // columns: no line of the text form is wider
};

enum { UC_HOT_ROWS = 16 };

// One (lock, caller) of all threads.
struct uc_hot_row {
    uint64_t lock, caller; // addresses
    bool write;
    uint64_t tries, waits;
    uint64_t waited, longest; // nanoseconds
    uint64_t rate;            // tries a second, of late
    char lock_name[64];       // "object+symbol", or an address again
    char caller_name[112];
    char spec[160]; // a counter, by the looks of it: what to put into UNCONTEND_COUNTERS; or ""
};

// One moment of one process.
struct uc_view {
    const struct uc_root *root; // its strings end in NUL, and may hold any other byte
    uint64_t up;                // nanoseconds since the library started
    uint64_t stat[UC_STAT_COUNT];
    uint64_t counter[UC_COUNTER_SLOTS];
    size_t hot_count;
    bool hot_rates;                     // show rate
    struct uc_hot_row hot[UC_HOT_ROWS]; // most time first
};

// Once, when all blocks were added up: the sums that nobody counts.
void uc_view_complete(struct uc_view *v);

// Appends to *out. JSON is one line; text and Prometheus are one line for each thing said.
void uc_render(const struct uc_view *v, enum uc_format_choice format, struct uc_text *out);

// The pieces of the text form, for the tool's own page.
void uc_render_states(const struct uc_view *v, struct uc_text *out);
void uc_render_counters(const struct uc_view *v, struct uc_text *out);
void uc_render_hot(const struct uc_view *v, struct uc_text *out);
// s without control characters, which could command a terminal.
void uc_render_plain(const char *s, size_t most, struct uc_text *out);

extern const char *const uc_stat_names[UC_STAT_COUNT];
extern const char *const uc_stat_helps[UC_STAT_COUNT];

#endif
