// SPDX-License-Identifier: MIT
// Owns the language of UNCONTEND_COUNTERS: OBJECT:SYMBOL[@LOCATION]=OPERATION(ADDRESS[,AMOUNT]),
// several with ';' between; LOCATION is 0xVALUE+SIZE/BUILDID. Text alone: whether such a function
// exists is others' business.
// Cost: one pass over the text, at start-up.
#ifndef UC_SPEC_H
#define UC_SPEC_H

#include <stdbool.h>

#include "compiler.h"

enum uc_operation { UC_ADD, UC_SUB, UC_LOAD };

enum { UC_ARGUMENTS = 6, UC_SPEC_FARTHEST = 1 << 20, UC_SPEC_BUILD_ID = 32 };

// What the replacement does: *(argN + offset) op= amount.
struct uc_action {
    uint8_t operation; // enum uc_operation
    uint8_t width;     // 4 or 8 bytes
    bool fetch;        // returns the value before, not the one after
    uint8_t address;   // the argument that holds the address, from 0
    bool amount_is_argument;
    int32_t offset; // 0 to UC_SPEC_FARTHEST, a multiple of width
    int32_t amount; // a constant >= 0, or an argument's number
};

// Where somebody who could read more than we can has found the function, and in which build.
struct uc_location {
    uint64_t value; // as a symbol table would have it
    uint64_t size;  // 0: not given, the symbol is to be looked up
    uint8_t build_id[UC_SPEC_BUILD_ID];
    size_t build_id_size;
};

struct uc_spec {
    const char *object; // glob on a file's name; "" is the program
    const char *symbol; // mangled or demangled
    struct uc_location location;
    const char *action_text; // "add32(arg1)"
    struct uc_action action;
};

// Why a text is no SPEC.
struct uc_spec_error {
    const char *part; // "object", "symbol", "location", "operation", "address", "amount", "end"
    const char *why;
};

// Cuts the next element off *rest: up to ';' or the end, blanks at both ends dropped. NULL: none.
// The text is changed.
char *uc_spec_next(char **rest);

// Parses one element; text is cut up and must live as long as the spec. 0 or -EINVAL with *error
// set (text is then as it was).
int uc_spec_parse(char *text, struct uc_spec *spec, struct uc_spec_error *error);

#endif
