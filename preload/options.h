// SPDX-License-Identifier: MIT
// Owns the settings: read once from the environment, then constant. Shared with the tool, which
// prints the same table.
// Cost: one pass over the environment, before main, and no more: reading a setting is a load.
#ifndef UC_OPTIONS_H
#define UC_OPTIONS_H

#include "text.h"

enum { UC_OFF, UC_ON };
enum { UC_EXIT_BAD_SETTING = 125 }; // of a program that UNCONTEND_STRICT does not let start
enum uc_random_choice { UC_RANDOM_AUTO, UC_RANDOM_VDSO, UC_RANDOM_DRBG, UC_RANDOM_SYSTEM };
enum uc_locks_choice { UC_LOCKS_ON, UC_LOCKS_SPIN, UC_LOCKS_OFF };
enum uc_format_choice { UC_FORMAT_TEXT, UC_FORMAT_JSON, UC_FORMAT_PROMETHEUS };

struct uc_options {
#define UC_CHOICE(field, name, choices, help)             unsigned field;
#define UC_SIZE(field, name, standard, least, most, help) uint64_t field;
#define UC_STRING(field, name, capacity, standard, help)  char field[capacity];
#include "options.def"
#undef UC_CHOICE
#undef UC_SIZE
#undef UC_STRING
};

enum uc_option_kind { UC_KIND_CHOICE, UC_KIND_SIZE, UC_KIND_STRING };

struct uc_option_row {
    const char *name;              // without UNCONTEND_
    const char *standard;          // UC_KIND_STRING: the default
    const char *choices;           // UC_KIND_CHOICE: "a|b", the first is the default
    const char *help;              // one sentence
    size_t offset;                 // of the field in struct uc_options
    size_t capacity;               // UC_KIND_STRING: of the field
    uint64_t initial, least, most; // UC_KIND_SIZE
    enum uc_option_kind kind;
};

extern const struct uc_option_row uc_option_rows[];
extern const size_t uc_option_count;

// Sets *o to the defaults, then to what env says. env: NULL-terminated "NAME=VALUE", or NULL. A
// value that cannot be used, or a name that starts with UNCONTEND_ and is not in the table, adds
// one line to complaints and changes nothing. Returns how many complaints.
int uc_options_parse(struct uc_options *o, char *const *env, struct uc_text *complaints);

// The value of a row as a user would write it.
void uc_options_show(const struct uc_options *o, const struct uc_option_row *row,
                     struct uc_text *out);

#endif
