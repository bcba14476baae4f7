// SPDX-License-Identifier: MIT
// Owns the judgement on settings before anything is started with them: what the library would
// complain about, once it runs.
// Cost: one pass over the environment.
#ifndef UC_SETTINGS_H
#define UC_SETTINGS_H

#include "options.h"

// Reads this environment. The number of values that cannot be used; *complaints has a line for
// each.
int uc_settings_read(struct uc_options *o, struct uc_text *complaints);

#endif
