// SPDX-License-Identifier: MIT
// Owns the way from threads' entries to the list of hot locks that is shown. Pure: serves the dump
// inside the program and the command outside.
// Cost: adding is a search through at most UC_HOTLIST_MOST entries; showing sorts them. No
// allocation, no system call.
#ifndef UC_HOTLIST_H
#define UC_HOTLIST_H

#include "render.h"

enum { UC_HOTLIST_MOST = 64 };

struct uc_hotlist {
    size_t count; // 0 to begin
    struct uc_hot at[UC_HOTLIST_MOST];
};

// Adds one thread's entry; the one with the least time gives way.
void uc_hotlist_add(struct uc_hotlist *l, const struct uc_hot *e);

// The UC_HOT_ROWS with the most time into v->hot, without names. So many nanoseconds passed while
// the CPU's clock counted so many ticks. l is put in order.
void uc_hotlist_show(struct uc_hotlist *l, uint64_t nanoseconds, uint64_t ticks, struct uc_view *v);

#endif
