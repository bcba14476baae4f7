// SPDX-License-Identifier: MIT
// Owns the machine code that stands in for a counter function, and the jump that leads there. Bytes
// into buffers; nothing is made executable here.
//
// What a stub does: count the call in the calling thread's record, then one atomic instruction,
// then return. On x86-64 it changes the flags and rax alone: compilers know of a hidden function
// which registers it leaves untouched, and callers may count on that.
// Cost: a call is one load, a test, an addition in the thread's own record and one atomic
// instruction; a thread without a record makes one first, once.
#ifndef UC_STUB_H
#define UC_STUB_H

#include "spec.h"

#if defined(__x86_64__)
enum { UC_STUB_MAX = 160, UC_STUB_NEAR = 5, UC_STUB_FAR = 14 };
#else
enum { UC_STUB_MAX = 256, UC_STUB_NEAR = 4, UC_STUB_FAR = 16 };
#endif

// Where the stub counts its calls.
struct uc_stub_count {
    int32_t record;       // where a thread keeps the pointer to its record, from its thread pointer
    int32_t in_record;    // the 64-bit count in that record
    void (*enlist)(long); // called with `argument` by threads that have no record (yet)
    long argument;
};

// True when there is machine code for this CPU.
bool uc_stub_possible(void);

// Writes the stub, position-independent; its length.
size_t uc_stub_write(uint8_t out[UC_STUB_MAX], const struct uc_action *a,
                     const struct uc_stub_count *c);

// Writes the jump from `from` to `to`: UC_STUB_NEAR bytes when it reaches, UC_STUB_FAR otherwise.
size_t uc_stub_jump(uint8_t out[UC_STUB_FAR], uintptr_t from, uintptr_t to);

#endif
