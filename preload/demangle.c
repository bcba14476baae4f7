// SPDX-License-Identifier: MIT
// Owns the walk along both names at once: nothing is decoded into a buffer.
#include "demangle.h"

#include <stddef.h>
#include <string.h>

#include "poison.h"

static const char anonymous[] = "(anonymous namespace)";

// One "<length><identifier>" of the symbol against one part of the written name.
static bool take_part(const char **symbol, const char **written)
{
    const char *s = *symbol;
    size_t n = 0;
    if (*s == 'L') // internal linkage
        s++;
    if (*s < '1' || *s > '9')
        return false;
    for (; *s >= '0' && *s <= '9'; s++) {
        n = n * 10 + (size_t)(*s - '0');
        if (n > 4096)
            return false;
    }
    if (strnlen(s, n) < n)
        return false;
    if (n >= 8 && memcmp(s, "_GLOBAL_", 8) == 0 &&
        strncmp(*written, anonymous, sizeof anonymous - 1) == 0) {
        *written += sizeof anonymous - 1;
    } else if (strncmp(*written, s, n) == 0) {
        *written += n;
    } else {
        return false;
    }
    *symbol = s + n;
    return true;
}

static bool take(const char **at, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(*at, word, n) != 0)
        return false;
    *at += n;
    return true;
}

bool uc_demangle_matches(const char *symbol, const char *written)
{
    if (!take(&symbol, "_Z"))
        return false;
    bool nested = take(&symbol, "N");
    if (nested)
        symbol += strspn(symbol, "rVKRO"); // qualifiers of a member function
    if (take(&symbol, "St") && !take(&written, "std::"))
        return false;
    do {
        if (!take_part(&symbol, &written))
            return false;
    } while (nested && *symbol != 'E' && take(&written, "::"));
    // Parameters, nothing (a variable) or a clone's suffix may follow; "I" would begin a
    // template's.
    return *written == '\0' && (!nested || take(&symbol, "E")) && *symbol != 'I';
}
