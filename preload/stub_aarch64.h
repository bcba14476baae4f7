// SPDX-License-Identifier: MIT
// Owns the aarch64 encoding of stubs, as functions that any CPU can run: tests read the words where
// they cannot run them. A stub changes x0, x16 and x17 alone; the last two are for linkers' own
// pieces of code between a caller and a function, so no compiler counts on them.
// Cost: as stub.h says; without ARMv8.1 the atomic instruction is a loop of exclusive loads and
// stores.
#ifndef UC_STUB_AARCH64_H
#define UC_STUB_AARCH64_H

#include "stub.h"

enum { UC_AARCH64_STUB_MAX = 256, UC_AARCH64_NEAR = 4, UC_AARCH64_PAGES = 12, UC_AARCH64_FAR = 16 };

// Its length. lse: the CPU has the atomic instructions of ARMv8.1.
size_t uc_aarch64_stub(uint8_t out[UC_AARCH64_STUB_MAX], const struct uc_action *a,
                       const struct uc_stub_count *c, bool lse);

// One instruction (128 MiB), three (4 GiB), or three with the address behind them. The two longer
// ones jump by x16, which a landing `bti c` allows.
size_t uc_aarch64_jump(uint8_t out[UC_AARCH64_FAR], uintptr_t from, uintptr_t to);

// The bytes of a landing instruction that a function begins with and that must stay: `bti c` or
// `bti jc`. A paciasp is none: it would sign the return address of a function that never checks it.
size_t uc_aarch64_landing(const uint8_t *code, size_t n);

#endif
