// SPDX-License-Identifier: MIT
// The one place where the project's version is written.
// Cost: nothing at run time.
#ifndef UC_VERSION_H
#define UC_VERSION_H

#define UC_VERSION "0.1.0"

#endif
