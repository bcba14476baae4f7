// SPDX-License-Identifier: MIT
// Any UNCONTEND_COUNTERS, any name, any glob: an answer, within bounds, and a refused text
// unchanged.
#include "fuzz.h"

#include "demangle.h"
#include "spec.h"
#include "text.h"

static void check_element(char *element)
{
    struct uc_spec spec;
    struct uc_spec_error error = {NULL, NULL};
    char *before = strdup(element);

    FUZZ(before != NULL);
    if (uc_spec_parse(element, &spec, &error) < 0) {
        FUZZ(error.part && error.why);
        FUZZ(strcmp(before, element) == 0);
    } else {
        const struct uc_action *a = &spec.action;

        FUZZ(a->operation <= UC_LOAD && (a->width == 4 || a->width == 8));
        FUZZ(a->address < UC_ARGUMENTS);
        FUZZ(a->offset >= 0 && a->offset <= UC_SPEC_FARTHEST && a->offset % a->width == 0);
        FUZZ(a->amount >= 0 && (!a->amount_is_argument || a->amount < UC_ARGUMENTS));
        (void)uc_text_glob(spec.object, "libexample.so.1");
        (void)uc_demangle_matches(spec.symbol, "cache::hit");
        (void)uc_demangle_matches("_ZN5cache12_GLOBAL__N_13hitEPv.part.0", spec.symbol);
    }
    free(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_copy(data, size);
    char *rest = text;
    char *element;
    uint64_t number;

    (void)uc_demangle_matches(text, "cache::hit");
    (void)uc_text_number(text, &number);
    if (size < 64)
        (void)uc_text_glob(text, "aaaaaaaaaaaaaaaaaaaaaaaa.so");
    while ((element = uc_spec_next(&rest)))
        check_element(element);
    free(text);
    return 0;
}
