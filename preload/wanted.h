// SPDX-License-Identifier: MIT
// Owns the list of functions to look for: the known ones, and those that UNCONTEND_COUNTERS names.
// Cost: one pass over the setting, at start-up; 4 KiB of text and UC_WANTED_MOST rows.
#ifndef UC_WANTED_H
#define UC_WANTED_H

#include "known.h"
#include "spec.h"

enum { UC_WANTED_MOST = 24 };

struct uc_wanted {
    struct uc_spec spec;
    const struct uc_known *known; // NULL: the user's
    bool found;                   // in some object, replaced or not
    bool told;                    // that it was not
};

// Reads a setting: "off", "auto", SPECs, with "auto" as one of them. What cannot be understood is
// told, once, and left out. Returns the list, *count is its length; NULL: "off". Once.
struct uc_wanted *uc_wanted_read(const char *setting, size_t *count);
// True when something was.
bool uc_wanted_left_out(void);

// How a function is called in messages.
const char *uc_wanted_title(const struct uc_wanted *w);

#endif
