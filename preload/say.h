// SPDX-License-Identifier: MIT
// Owns what the library says by itself: single lines on stderr, only while stderr is still what it
// was at start-up, since daemons give its descriptor to other files. Never stdout.
// Cost: a line is an fstat, to see that stderr is still the same, and a write; what is verbose is a
// load and a comparison when nobody asked.
#ifndef UC_SAY_H
#define UC_SAY_H

#include <stdbool.h>

#include "text.h"

// Once, at start-up: remembers what stderr is.
void uc_say_start(bool verbose);

// One line, "uncontend: " in front and a newline behind are added. Async-signal-safe.
void uc_say(const char *format, ...) UC_PRINTF(1, 2);

// The same, with UNCONTEND_VERBOSE=on alone.
void uc_say_verbose(const char *format, ...) UC_PRINTF(1, 2);

// Bytes as they are, several lines.
void uc_say_raw(const char *s, size_t n);

#endif
