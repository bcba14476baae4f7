// SPDX-License-Identifier: MIT
// Owns the reading of settings. Strings are copied: programs overwrite their environment's memory
// to change what ps shows.
#include "options.h"

#include <errno.h>
#include <string.h>

#include "poison.h"

static const char prefix[] = "UNCONTEND_";

#define FIELD(field) .offset = offsetof(struct uc_options, field)

const struct uc_option_row uc_option_rows[] = {
#define UC_CHOICE(field, upper, list, sentence)                                                    \
    {.name = #upper, .choices = (list), .help = (sentence), FIELD(field), .kind = UC_KIND_CHOICE},
#define UC_SIZE(field, upper, value, low, high, sentence)                                          \
    {.name = #upper,                                                                               \
     .help = (sentence),                                                                           \
     FIELD(field),                                                                                 \
     .initial = (value),                                                                           \
     .least = (low),                                                                               \
     .most = (high),                                                                               \
     .kind = UC_KIND_SIZE},
#define UC_STRING(field, upper, bytes, value, sentence)                                            \
    {.name = #upper,                                                                               \
     .standard = (value),                                                                          \
     .help = (sentence),                                                                           \
     FIELD(field),                                                                                 \
     .capacity = (bytes),                                                                          \
     .kind = UC_KIND_STRING},
#include "options.def"
#undef UC_CHOICE
#undef UC_SIZE
#undef UC_STRING
};

const size_t uc_option_count = uc_countof(uc_option_rows);

static void *field_of(struct uc_options *o, const struct uc_option_row *row)
{
    return (char *)o + row->offset;
}

static void set_default(struct uc_options *o, const struct uc_option_row *row)
{
    void *field = field_of(o, row);
    switch (row->kind) {
    case UC_KIND_CHOICE:
        *(unsigned *)field = 0;
        break;
    case UC_KIND_SIZE:
        *(uint64_t *)field = row->initial;
        break;
    case UC_KIND_STRING:
        uc_text_copy(field, row->capacity, row->standard);
        break;
    }
}

// The start of choice number n in "a|b|c", its length in *length; NULL past the last.
static const char *choice_at(const char *choices, unsigned n, size_t *length)
{
    for (; n; n--) {
        choices = strchr(choices, '|');
        if (!choices)
            return NULL;
        choices++;
    }
    *length = strcspn(choices, "|");
    return choices;
}

static int set_choice(unsigned *field, const char *choices, const char *value)
{
    size_t length;
    const char *c;
    for (unsigned n = 0; (c = choice_at(choices, n, &length)) != NULL; n++) {
        if (strlen(value) == length && memcmp(c, value, length) == 0) {
            *field = n;
            return 0;
        }
    }
    return -EINVAL;
}

// The habit of other programs, where the choices do not say it themselves.
static const char *habitual(const char *value)
{
    return strcmp(value, "1") == 0 ? "on" : strcmp(value, "0") == 0 ? "off" : value;
}

static int set_size(uint64_t *field, const struct uc_option_row *row, const char *value)
{
    uint64_t v;
    int r = uc_text_number(value, &v);
    if (r < 0)
        return r;
    if (v < row->least || v > row->most)
        return -ERANGE;
    *field = v;
    return 0;
}

static int set_string(char *field, const struct uc_option_row *row, const char *value)
{
    if (strlen(value) >= row->capacity)
        return -ERANGE;
    uc_text_copy(field, row->capacity, value);
    return 0;
}

static int set(struct uc_options *o, const struct uc_option_row *row, const char *value)
{
    void *field = field_of(o, row);
    switch (row->kind) {
    case UC_KIND_CHOICE:
        if (set_choice(field, row->choices, value) == 0)
            return 0;
        return set_choice(field, row->choices, habitual(value));
    case UC_KIND_SIZE:
        return set_size(field, row, value);
    case UC_KIND_STRING:
        return set_string(field, row, value);
    }
    return -EINVAL;
}

static void complain(struct uc_text *t, const struct uc_options *o, const struct uc_option_row *row,
                     const char *value)
{
    uc_text_add(t, "uncontend: %s%s='%s' cannot be used (", prefix, row->name, value);
    switch (row->kind) {
    case UC_KIND_CHOICE:
        uc_text_add(t, "one of %s", row->choices);
        break;
    case UC_KIND_SIZE:
        uc_text_add(t, "a number from %lu to %lu, K M G allowed", row->least, row->most);
        break;
    case UC_KIND_STRING:
        uc_text_add(t, "at most %zu bytes", row->capacity - 1);
        break;
    }
    uc_text_add(t, "); using ");
    uc_options_show(o, row, t);
    uc_text_add(t, "\n");
}

static const struct uc_option_row *row_named(const char *name, size_t length)
{
    for (size_t i = 0; i < uc_option_count; i++) {
        const char *n = uc_option_rows[i].name;
        if (strlen(n) == length && memcmp(n, name, length) == 0)
            return &uc_option_rows[i];
    }
    return NULL;
}

int uc_options_parse(struct uc_options *o, char *const *env, struct uc_text *complaints)
{
    for (size_t i = 0; i < uc_option_count; i++)
        set_default(o, &uc_option_rows[i]);
    int bad = 0;
    for (; env && *env; env++) {
        if (strncmp(*env, prefix, sizeof prefix - 1) != 0)
            continue;
        const char *name = *env + sizeof prefix - 1;
        size_t length = strcspn(name, "=");
        const char *value = name[length] ? name + length + 1 : "";
        const struct uc_option_row *row = row_named(name, length);
        if (!row) {
            uc_text_add(complaints, "uncontend: unknown setting %s; ignored\n", *env);
            bad++;
        } else if (set(o, row, value) < 0) {
            complain(complaints, o, row, value);
            bad++;
        }
    }
    return bad;
}

void uc_options_show(const struct uc_options *o, const struct uc_option_row *row,
                     struct uc_text *out)
{
    const void *field = (const char *)o + row->offset;
    size_t length = 0;
    switch (row->kind) {
    case UC_KIND_CHOICE: {
        char word[32];
        const char *c = choice_at(row->choices, *(const unsigned *)field, &length);
        uc_text_copy(word, length + 1 < sizeof word ? length + 1 : sizeof word, c);
        uc_text_add(out, "%s", word);
        break;
    }
    case UC_KIND_SIZE:
        uc_text_add(out, "%lu", *(const uint64_t *)field);
        break;
    case UC_KIND_STRING:
        uc_text_add(out, "%s", (const char *)field);
        break;
    }
}
