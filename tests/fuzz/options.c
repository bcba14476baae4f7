// SPDX-License-Identifier: MIT
// Any environment: the input is "NAME=VALUE" words, each ended by a NUL. What was taken stays
// within the table's bounds and is what is shown.
#include "fuzz.h"

#include "options.h"

enum { WORDS = 64 };

static void check_row(const struct uc_options *o, const struct uc_option_row *row)
{
    char bytes[4096];
    struct uc_text shown = UC_TEXT(bytes);
    const char *field = (const char *)o + row->offset;

    uc_options_show(o, row, &shown);
    FUZZ(shown.length < sizeof(bytes));
    if (row->kind == UC_KIND_SIZE) {
        uint64_t value;

        memcpy(&value, field, sizeof(value));
        FUZZ(value >= row->least && value <= row->most);
    } else if (row->kind == UC_KIND_STRING) {
        FUZZ(memchr(field, 0, row->capacity) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct uc_options o;
    char *text = fuzz_copy(data, size);
    char *words[WORDS + 1];
    char room[512];
    struct uc_text complaints = UC_TEXT(room);
    size_t n = 0;

    for (char *at = text; n < WORDS && at < text + size; at += strlen(at) + 1)
        words[n++] = at;
    words[n] = NULL;
    FUZZ(uc_options_parse(&o, words, &complaints) <= (int)n);
    FUZZ(complaints.length < sizeof(room));
    for (size_t i = 0; i < uc_option_count; i++)
        check_row(&o, &uc_option_rows[i]);
    free(text);
    return 0;
}
