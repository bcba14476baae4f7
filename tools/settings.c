// SPDX-License-Identifier: MIT
// Owns the values that the table of options cannot judge by itself: a signal, and SPECs.
#include "settings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "signame.h"
#include "spec.h"

static int judge_signal(const char *value, struct uc_text *complaints)
{
    int number = uc_signame_parse(value);
    if (number >= 0)
        return 0;
    uc_text_add(complaints, "uncontend: UNCONTEND_SIGNAL='%s' cannot be used (%s); using USR1\n",
                value, uc_signame_refusal(number));
    return 1;
}

static int judge_counters(const char *value, struct uc_text *complaints)
{
    char *copy = strdup(value);
    char *rest = copy;
    int bad = 0;
    for (char *text; rest && (text = uc_spec_next(&rest)) != NULL;) {
        struct uc_spec spec;
        struct uc_spec_error error;
        if (strcmp(text, "auto") == 0 || strcmp(value, "off") == 0 ||
            uc_spec_parse(text, &spec, &error) == 0)
            continue;
        uc_text_add(complaints, "uncontend: UNCONTEND_COUNTERS: '%s': %s: %s; ignored\n", text,
                    error.part, error.why);
        bad++;
    }
    free(copy);
    return bad;
}

int uc_settings_read(struct uc_options *o, struct uc_text *complaints)
{
    int bad = uc_options_parse(o, environ, complaints);
    bad += judge_signal(o->dump_signal, complaints);
    return bad + judge_counters(o->counters, complaints);
}
