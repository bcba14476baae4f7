// SPDX-License-Identifier: MIT
// Functions whose entry must not be replaced, each for a reason of its own; and two that look odd
// and can be. All add one to odd_state.count,
// .paged or .shown, most under the lock.
#ifndef TARGET_ODD_H
#define TARGET_ODD_H

#include <pthread.h>
#include <stdint.h>

struct odd_state {
    char before[32];
    pthread_rwlock_t lock; // 0x20
    uint64_t count;        // 0x58
    uint64_t other;        // 0x60
    uint64_t paged;        // 0x68
    uint64_t shown;        // 0x70
};

// Calls the function of that name n times. -1: there is none of that name. The count it should
// have left is n.
int odd_call(const char *name, struct odd_state *s, uint64_t n);

#endif
