// SPDX-License-Identifier: MIT
// Any file in place of an ELF file: an answer, and no look past its end.
#include "fuzz.h"

#include "demangle.h"
#include "elfread.h"
#include "locate.h"

static void look_at_symbol(const struct uc_elf *e, const struct uc_tables *t,
                           const struct uc_elf_symbol *s)
{
    struct uc_bytes code = uc_elf_code(e, s->value, s->size);
    struct uc_elf_company company = {NULL, NULL, NULL};

    if (code.at)
        FUZZ(code.at >= e->image && code.n <= e->size &&
             (size_t)(code.at - e->image) <= e->size - code.n);
    (void)uc_elf_function_at(&e->symtab, s->value);
    uc_elf_company(&e->symtab, s, 16, &company);
    (void)uc_locate_company(t, s, 16);
    (void)uc_locate_callee(t, s->value, false);
    (void)uc_locate_callee(t, s->value, true);
    (void)uc_elf_clone_suffix(s->name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct uc_elf e;
    struct uc_elf_symbol s;
    const char *refusal = NULL;
    char *image = malloc(size ? size : 1);

    FUZZ(image != NULL);
    if (size > 0)
        memcpy(image, data, size);
    if (uc_elf_open(&e, image, size) == 0) {
        struct uc_tables t = {.file = &e};

        if (uc_locate(&t, "counter_hit", &s, &refusal) == 0)
            look_at_symbol(&e, &t, &s);
        if (uc_elf_find(&e.dynsym, uc_demangle_matches, "cache::hit", &s) == 0)
            look_at_symbol(&e, &t, &s);
        (void)uc_elf_has_prefix(&e.symtab, "counter_");
        (void)uc_elf_build_id(&e);
        (void)uc_elf_section(&e, ".gnu_debuglink");
        for (uint64_t at = 0; at < 8; at++) {
            (void)uc_elf_slot_name(&e, at << 12);
            (void)uc_elf_code(&e, at << 10, at << 4);
        }
        (void)uc_elf_code(&e, UINT64_MAX - 7, 16);
    }
    free(image);
    return 0;
}
