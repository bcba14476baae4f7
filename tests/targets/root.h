// SPDX-License-Identifier: MIT
// What a target program can see of the preloaded library in its own process.
#ifndef TARGET_ROOT_H
#define TARGET_ROOT_H

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "stats_abi.h"

// NULL: not preloaded.
static inline const struct uc_root *root(void)
{
    return (const struct uc_root *)dlsym(RTLD_DEFAULT, "uncontend_root");
}

static inline const struct uc_block *root_block(const struct uc_root *r, uint32_t index)
{
    for (uint32_t c = 0; c < UC_CHUNKS; c++) {
        if (index < r->chunk[c].count)
            return (const struct uc_block *)(r->chunk[c].base + (uint64_t)index * r->thread_size +
                                             r->block_offset);
        index -= (uint32_t)r->chunk[c].count;
    }
    return NULL;
}

static inline uint64_t root_sum(enum uc_stat stat)
{
    const struct uc_root *r = root();
    uint64_t sum = r ? r->shared.stat[stat] : 0;
    for (uint32_t i = 0; r && i < r->high; i++)
        sum += root_block(r, i)->stat[stat];
    return sum;
}

// Calls of all functions whose description begins so.
static inline uint64_t root_calls(const char *what)
{
    const struct uc_root *r = root();
    uint64_t sum = 0;
    for (uint32_t slot = 0; r && slot < UC_COUNTER_SLOTS; slot++) {
        if (strncmp(r->counter[slot].what, what, strlen(what)) != 0)
            continue;
        sum += r->shared.counter[slot];
        for (uint32_t i = 0; i < r->high; i++)
            sum += root_block(r, i)->counter[slot];
    }
    return sum;
}

static inline unsigned root_replaced(void)
{
    const struct uc_root *r = root();
    unsigned n = 0;
    for (uint32_t slot = 0; r && slot < UC_COUNTER_SLOTS; slot++)
        n += r->counter[slot].active;
    return n;
}

// Mappings that are writable and executable at once; -1: unknown.
static inline int root_writable_code(void)
{
    char line[1024];
    int n = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps)
        return -1;
    while (fgets(line, sizeof line, maps)) {
        const char *rights = strchr(line, ' ');
        n += rights && rights[2] == 'w' && rights[3] == 'x';
    }
    fclose(maps);
    return n;
}

#endif
