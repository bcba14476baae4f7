// SPDX-License-Identifier: MIT
// Owns the names of the objects that hot locks and their callers lie in. An object is noted while
// its code is running, so that it cannot be unloaded meanwhile; what is shown later is our own
// copy. Takes no lock, allocates nothing.
// Cost: a note is one call of libc's _dl_find_object and a comparison with at most 32 entries,
// where somebody waited; showing is such a search. 2.3 KiB.
#ifndef UC_ORIGIN_H
#define UC_ORIGIN_H

#include "text.h"

// Once, at start-up. Where libc cannot tell without a lock (before 2.35), nothing is ever noted.
void uc_origin_start(void);

// Remembers the object that holds this address, if there is one. To be called by code that the
// object, or its caller, is waiting for. Async-signal-safe.
void uc_origin_note(uintptr_t address);

// "libcache.so+0x1234", or "0x7f0012345678" where no object was noted. Async-signal-safe.
void uc_origin_show(uintptr_t address, struct uc_text *out);

#endif
