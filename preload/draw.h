// SPDX-License-Identifier: MIT
// Owns what libuncontend-rand.so may ask of libuncontend.so: nothing else is shared between them.
// Cost: a draw of the library's, and a call through the procedure linkage table.
#ifndef UC_DRAW_H
#define UC_DRAW_H

#include "compiler.h"

// 1: buf has n random bytes, counted as a call of the RAND_bytes family. 0: not served, because the
// feature is off, this program is left alone, or the draw failed.
UC_EXPORT int uncontend_draw(void *buf, size_t n);

#endif
