// SPDX-License-Identifier: MIT
// Owns the list's memory: nothing is allocated.
#include "wanted.h"

#include <string.h>

#include "say.h"

#include "poison.h"

enum { TEXT = 4096 };

static struct uc_wanted list[UC_WANTED_MOST];
static size_t length;
static char texts[TEXT]; // what the specs point into
static bool left_out;

static void add(char *text, const struct uc_known *known)
{
    struct uc_spec_error error;
    if (length == UC_WANTED_MOST) {
        uc_say("UNCONTEND_COUNTERS: '%s': there are too many; ignored", text);
        left_out = true;
        return;
    }
    struct uc_wanted *w = &list[length];
    if (uc_spec_parse(text, &w->spec, &error) < 0) {
        uc_say("UNCONTEND_COUNTERS: '%s': %s: %s; ignored", text, error.part, error.why);
        left_out = true;
        return;
    }
    // What is known of a function holds also where it is given.
    w->known = known || !w->spec.location.size ? known : uc_known_as(&w->spec);
    length++;
}

static char *keep(struct uc_text *room, const char *text)
{
    char *copy = room->at + room->length;
    uc_text_add(room, "%s", text);
    if (room->length + 1 >= room->capacity)
        return NULL;
    room->length++; // over its NUL
    return copy;
}

struct uc_wanted *uc_wanted_read(const char *setting, size_t *count)
{
    struct uc_text room = UC_TEXT(texts);
    bool known = false;
    if (strcmp(setting, "off") == 0)
        return NULL;
    char *rest = keep(&room, setting);
    for (char *text; (text = uc_spec_next(&rest)) != NULL;) {
        if (strcmp(text, "auto") == 0)
            known = true;
        else
            add(text, NULL);
    }
    for (size_t i = 0; known && i < uc_known_count; i++) {
        char *text = keep(&room, uc_known[i].spec);
        if (text)
            add(text, &uc_known[i]);
    }
    *count = length;
    return list;
}

bool uc_wanted_left_out(void)
{
    return left_out;
}

const char *uc_wanted_title(const struct uc_wanted *w)
{
    return w->known ? w->known->title : w->spec.symbol;
}
