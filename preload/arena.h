// SPDX-License-Identifier: MIT
// Owns memory of a special kind that goes with the thread records: one element a record, in maps
// that are made when they are needed, and never given back.
// Cost: an element is found by one load and arithmetic. The first of a map costs an mmap and what
// its kind asks for besides; whoever loses the race for it a munmap. No lock.
#ifndef UC_ARENA_H
#define UC_ARENA_H

#include "thread.h"

struct uc_arena {
    void *(*map)(size_t n); // n bytes, whole pages, zeroed; NULL: not to be had
    size_t size;            // of an element, at most a page; none crosses a page
    _Atomic(uintptr_t) chunk[UC_CHUNKS];
};

// The element of the record with this index, its map made if need be; NULL: no memory. Any thread.
void *uc_arena_at(struct uc_arena *a, uint32_t index);
// The same; NULL when its map was not made.
void *uc_arena_peek(struct uc_arena *a, uint32_t index);

// Where in a chunk element number place lies, and the bytes of whole pages that hold count of them.
size_t uc_arena_offset(const struct uc_arena *a, uint32_t place);
size_t uc_arena_bytes(const struct uc_arena *a, uint32_t count);

#endif
