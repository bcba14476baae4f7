// SPDX-License-Identifier: MIT
// Owns the answer to "what of this program would be taken over": its objects, and which of the
// library's names each of them imports or defines.
// Cost: each file mapped once, and one pass over its dynamic symbols.
#ifndef UC_IMPORTS_H
#define UC_IMPORTS_H

#include <stdbool.h>
#include <stddef.h>

struct uc_imports;

// library: whose exported names are looked for. NULL: it cannot be read, or no memory.
struct uc_imports *uc_imports_new(const char *library);
void uc_imports_free(struct uc_imports *m);

// Looks at one object. Files that cannot be read are left out.
void uc_imports_add(struct uc_imports *m, const char *path);

// The objects that import a function, comma-separated; NULL: none does.
const char *uc_imports_users(const struct uc_imports *m, const char *name);

// Prints what would be taken over, by kind, and what stands in the way.
void uc_imports_print(const struct uc_imports *m);

#endif
