// SPDX-License-Identifier: MIT
#ifndef TARGET_LTO_H
#define TARGET_LTO_H

#include "odd.h"

__attribute__((visibility("hidden"))) void lto_count(struct odd_state *s);

#endif
