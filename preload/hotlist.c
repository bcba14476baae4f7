// SPDX-License-Identifier: MIT
// Owns the adding up and the order.
#include "hotlist.h"

#include "poison.h"

void uc_hotlist_add(struct uc_hotlist *l, const struct uc_hot *e)
{
    size_t least = 0;
    for (size_t i = 0; i < l->count; i++) {
        struct uc_hot *have = &l->at[i];
        if (have->lock == e->lock && have->caller == e->caller) {
            have->tries += e->tries;
            have->waits += e->waits;
            have->ticks += e->ticks;
            have->longest = e->longest > have->longest ? e->longest : have->longest;
            return;
        }
        if (have->ticks < l->at[least].ticks)
            least = i;
    }
    if (l->count < UC_HOTLIST_MOST)
        l->at[l->count++] = *e;
    else if (e->ticks > l->at[least].ticks)
        l->at[least] = *e;
}

static void sort(struct uc_hotlist *l)
{
    for (size_t i = 1; i < l->count; i++) {
        struct uc_hot e = l->at[i];
        size_t j = i;
        for (; j > 0 && l->at[j - 1].ticks < e.ticks; j--)
            l->at[j] = l->at[j - 1];
        l->at[j] = e;
    }
}

static uint64_t scale(uint64_t ticks, uint64_t to, uint64_t from)
{
    unsigned __int128 v = (unsigned __int128)ticks * to / (from ? from : 1);
    return v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
}

void uc_hotlist_show(struct uc_hotlist *l, uint64_t nanoseconds, uint64_t ticks, struct uc_view *v)
{
    sort(l);
    v->hot_count = l->count < UC_HOT_ROWS ? l->count : UC_HOT_ROWS;
    for (size_t i = 0; i < v->hot_count; i++) {
        const struct uc_hot *e = &l->at[i];
        v->hot[i] = (struct uc_hot_row){
            .lock = e->lock,
            .caller = e->caller & ~UC_HOT_WRITE,
            .write = (e->caller & UC_HOT_WRITE) != 0,
            .tries = e->tries,
            .waits = e->waits,
            .waited = scale(e->ticks, nanoseconds, ticks),
            .longest = scale(e->longest, nanoseconds, ticks),
        };
    }
}
