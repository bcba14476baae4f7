// SPDX-License-Identifier: MIT
// Owns the comparison of a C++ name as people write it with a symbol of the Itanium C++ ABI.
// Cost: one pass over the symbol, which most names leave at their first characters; no memory.
#ifndef UC_DEMANGLE_H
#define UC_DEMANGLE_H

#include <stdbool.h>

// True when the mangled symbol is a function, or a variable, of the written name, whatever its
// parameters and whatever a compiler's clone of it has behind: "cache::hit" for _ZN5cache3hitEPv,
// "hit" for _Z3hitPv.constprop.0. Understood: functions at namespace scope,
// members, const members, internal linkage, std::, "(anonymous namespace)". Not understood, and so
// never a match: templates, operators, constructors, substitutions, local classes; for those a
// SPEC gives the mangled name.
bool uc_demangle_matches(const char *symbol, const char *written);

#endif
