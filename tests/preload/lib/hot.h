// SPDX-License-Identifier: MIT
// What the tests of the hot locks share: a thread that is certain to wait for a lock, and the sums
// of the table in this process.
#ifndef HOT_H
#define HOT_H

#include <stdbool.h>

#include "check.h"
#include "dump.h"

// Counts over all threads for a lock, whoever called.
static inline struct uc_hot hot_sum(const void *lock, bool write)
{
    const struct uc_root *root = dump_root();
    struct uc_hot sum = {0};
    uint32_t left = root->high;

    for (int c = 0; c < UC_CHUNKS && left > 0; c++) {
        uint32_t n = root->chunk[c].count < left ? (uint32_t)root->chunk[c].count : left;

        const char *tables =
            (const char *)root->chunk[c].base + root->chunk[c].count * root->thread_size;

        for (uint32_t i = 0; i < n * root->hot.count; i++) {
            const struct uc_hot *e =
                (const struct uc_hot *)(tables + (size_t)(i / root->hot.count) * root->hot.stride) +
                i % root->hot.count;

            if (e->lock != (uintptr_t)lock || !(e->caller & UC_HOT_WRITE) == write)
                continue;
            sum.tries += e->tries;
            sum.waits += e->waits;
            sum.ticks += e->ticks;
        }
        left -= n;
    }
    return sum;
}

// Until one more lock had to wait than `before` (dump_stat(UC_STAT_LOCK_WAITED)).
static inline void hot_until_waiting(uint64_t before)
{
    while (dump_stat(UC_STAT_LOCK_WAITED) == before)
        sched_yield();
}

// A thread runs fn, which takes a lock that the caller holds to write; when it waits, the caller
// lets go. Nanoseconds that it waited at least.
static inline uint64_t hot_wait_once(pthread_rwlock_t *lock, void *(*fn)(void *))
{
    struct timespec from, to;
    uint64_t before = dump_stat(UC_STAT_LOCK_WAITED);
    pthread_t thread;

    CHECK_IS(pthread_rwlock_wrlock(lock), 0);
    thread = check_thread(fn, lock);
    hot_until_waiting(before);
    clock_gettime(CLOCK_MONOTONIC, &from);
    usleep(2000);
    clock_gettime(CLOCK_MONOTONIC, &to);
    CHECK_IS(pthread_rwlock_unlock(lock), 0);
    check_join(thread);
    return (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000U + (uint64_t)to.tv_nsec -
           (uint64_t)from.tv_nsec;
}

#endif
