// SPDX-License-Identifier: MIT
// The ELF reader, on this test's own file: symbols, code, notes; and on thousands of damaged copies
// of it, with nothing readable behind their end.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "demangle.h"
#include "locate.h"
#include "object.h"

static struct uc_file own;

// Found by name; volatile bodies, so that none is folded into another.
__attribute__((noinline, used)) static int elfread_test_function(int x)
{
    __asm__ volatile("nop; nop; nop; nop; nop" : "+r"(x));
    return x;
}
int elfread_test_data[3];

static bool open_program(const struct uc_object *o, void *result)
{
    *(int *)result = uc_object_open(o, &own);
    return false;
}

static int open_own(void **state)
{
    (void)state;
    int r = -ENOENT;
    uc_object_each(open_program, &r, NULL);
    return r;
}

static int close_own(void **state)
{
    (void)state;
    uc_file_close(&own);
    return 0;
}

static void functions_are_found(void **state)
{
    (void)state;
    struct uc_tables t = {.file = &own.elf};
    struct uc_elf_symbol s;
    const char *refusal = NULL;
    assert_int_equal(uc_locate(&t, "elfread_test_function", &s, &refusal), 0);
    assert_int_equal(s.type, STT_FUNC);
    struct uc_bytes code = uc_elf_code(&own.elf, s.value, s.size);
    assert_non_null(code.at);
    int (*fn)(int) = elfread_test_function;
    const void *in_memory;
    memcpy(&in_memory, &fn, sizeof fn);
    assert_memory_equal(code.at, in_memory, s.size);
    assert_string_equal(uc_elf_function_at(&own.elf.symtab, s.value), "elfread_test_function");
    assert_null(uc_locate_company(&t, &s, 5));
}

static void what_is_no_function_is_told(void **state)
{
    (void)state;
    struct uc_tables t = {.file = &own.elf};
    struct uc_elf_symbol s;
    const char *refusal = NULL;
    assert_int_equal(uc_locate(&t, "elfread_test_functio", &s, &refusal), -ENOENT);
    assert_int_equal(uc_locate(&t, "", &s, &refusal), -ENOENT);
    assert_int_equal(uc_locate(&t, "elfread_test_data", &s, &refusal), -EEXIST);
    assert_string_equal(refusal, "is data, not a function");
}

static void clones_are_told_from_names(void **state)
{
    (void)state;
    assert_string_equal(uc_elf_clone_suffix("hit.constprop.0"), ".constprop.0");
    assert_string_equal(uc_elf_clone_suffix("hit.isra.0"), ".isra.0");
    assert_string_equal(uc_elf_clone_suffix("a.b.part.1"), ".part.1");
    assert_null(uc_elf_clone_suffix("hit.cold"));
    assert_null(uc_elf_clone_suffix("hit"));
}

static void written_names_match_mangled_ones(void **state)
{
    static const struct {
        const char *symbol, *written;
        bool matches;
    } rows[] = {
        {"_ZN4bssl18ssl_update_counterEP10ssl_ctx_stRib", "bssl::ssl_update_counter", true},
        {"_ZN4bssl18ssl_update_counterEP10ssl_ctx_stRib", "ssl_update_counter", false},
        {"_ZN4bssl18ssl_update_counterEP10ssl_ctx_stRib", "bssl::ssl_update_counte", false},
        {"_ZN4bssl18ssl_update_counterEP10ssl_ctx_stRib", "bssl::ssl_update_counters", false},
        {"_ZN4bssl18ssl_update_counterEP10ssl_ctx_stRib", "bssl:ssl_update_counter", false},
        {"_Z3hitPv", "hit", true},
        {"_ZL3hitPv", "hit", true},
        {"_ZN5cacheL3hitEv", "cache::hit", true},
        {"_ZNK5cache3hitEv", "cache::hit", true},
        {"_ZNSt5cache3hitEv", "std::cache::hit", true},
        {"_ZN12_GLOBAL__N_13hitEv", "(anonymous namespace)::hit", true},
        {"_ZN5cache3hitEv.constprop.0", "cache::hit", true}, // the caller tells clones apart
        {"_ZN5cache4hitsE", "cache::hits", true},            // a variable
        {"_ZN5cache3hitIiEEvT_", "cache::hit", false},       // a template
        {"_ZN5cacheC1Ev", "cache::cache", false},            // a constructor
        {"_ZN5cacheplEi", "cache::operator+", false},
        {"_ZN99999999999999999999a", "a", false},
        {"_ZN9abc", "abc", false},
        {"_Z", "", false},
        {"_ZN", "", false},
        {"hit", "hit", false}, // not mangled: not this one's business
    };
    (void)state;
    for (size_t i = 0; i < uc_countof(rows); i++) {
        if (uc_demangle_matches(rows[i].symbol, rows[i].written) != rows[i].matches)
            fail_msg("%s and %s", rows[i].symbol, rows[i].written);
    }
}

static void use_everything(const uint8_t *image, size_t size)
{
    struct uc_elf e;
    struct uc_elf_symbol s;
    const char *refusal;
    if (uc_elf_open(&e, image, size) < 0)
        return;
    struct uc_tables t = {.file = &e};
    if (uc_locate(&t, "elfread_test_function", &s, &refusal) == 0) {
        (void)uc_locate_company(&t, &s, 14);
        (void)uc_locate_callee(&t, s.value + 64, false);
    }
    for (size_t i = 0; i < 64; i++)
        (void)uc_elf_code(&e, e.segments ? (uint64_t)i << 8 : i, i * 40);
    for (size_t i = 0; i < 16; i++)
        (void)uc_elf_is_function(&e, (uint64_t)i << 9, 32);
    (void)uc_elf_text(&e, 0x2000);
    (void)uc_elf_slot_name(&e, 0x4000);
    (void)uc_elf_build_id(&e);
    (void)uc_elf_section(&e, ".gnu_debuglink");
}

// A copy that ends where a page without any rights begins.
static uint8_t *guarded_copy(size_t n, size_t *mapped)
{
    size_t room = (n + UC_PAGE - 1) & ~(size_t)(UC_PAGE - 1);
    *mapped = room + UC_PAGE;
    uint8_t *p = mmap(NULL, *mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    assert_int_equal(mprotect(p + room, UC_PAGE, PROT_NONE), 0);
    uint8_t *at = p + ((room - n) & ~(size_t)7);
    memcpy(at, own.map, n);
    return at;
}

static uint64_t draw(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

// Where damage can matter: the headers, the section table, and the symbol tables' first entries.
static size_t somewhere(uint64_t *random)
{
    const Elf64_Ehdr *h = own.elf.head;
    size_t sections = h->e_shnum * sizeof(Elf64_Shdr);
    size_t symbols = (size_t)((const uint8_t *)own.elf.symtab.at - (const uint8_t *)own.map);
    switch (draw(random) % 4) {
    case 0:
        return draw(random) % 1024;
    case 1:
        return symbols + draw(random) % 4096;
    default:
        return h->e_shoff + draw(random) % sections;
    }
}

static void damaged_files_are_safe(void **state)
{
    enum { ROUNDS = 3000, WOUNDS = 4 };
    (void)state;
    uint64_t random = 88172645463325252U;
    size_t mapped;
    uint8_t *image = guarded_copy(own.size, &mapped);
    const uint8_t *original = own.map;
    for (int round = 0; round < ROUNDS; round++) {
        size_t at[WOUNDS];
        for (int w = 0; w < WOUNDS; w++) {
            at[w] = somewhere(&random);
            if (at[w] >= own.size)
                at[w] = 0;
            image[at[w]] = (uint8_t)draw(&random);
        }
        use_everything(image, own.size);
        for (int w = 0; w < WOUNDS; w++)
            image[at[w]] = original[at[w]];
    }
}

static void short_files_are_safe(void **state)
{
    (void)state;
    for (size_t n = 0; n < own.size; n += n < 2000 ? 8 : own.size / 200) {
        size_t mapped;
        uint8_t *image = guarded_copy(n, &mapped);
        use_everything(image, n & ~(size_t)7);
        munmap((void *)((uintptr_t)image & ~(uintptr_t)(UC_PAGE - 1)), mapped);
    }
}

static void functions_are_told_by_the_unwind_table(void **state)
{
    (void)state;
    struct uc_tables t = {.file = &own.elf};
    struct uc_elf_symbol s;
    const char *refusal = NULL;
    assert_int_equal(uc_locate(&t, "elfread_test_function", &s, &refusal), 0);
    assert_true(uc_elf_is_function(&own.elf, s.value, s.size));
    assert_false(uc_elf_is_function(&own.elf, s.value, s.size + 1));
    assert_false(uc_elf_is_function(&own.elf, s.value + 1, s.size - 1));
    assert_false(uc_elf_is_function(&own.elf, s.value + UINT64_C(0x100000000), s.size));
    struct uc_bytes text = uc_elf_text(&own.elf, s.value);
    struct uc_bytes code = uc_elf_code(&own.elf, s.value, s.size);
    assert_true(code.at >= text.at && code.at + code.n <= text.at + text.n);
    assert_null(uc_elf_text(&own.elf, UINT64_C(1) << 40).at);
}

static void a_place_holds_for_its_build(void **state)
{
    (void)state;
    struct uc_tables t = {.file = &own.elf};
    struct uc_elf_symbol s;
    struct uc_elf_symbol given;
    const char *refusal = NULL;
    struct uc_bytes id = uc_elf_build_id(&own.elf);
    assert_int_equal(uc_locate(&t, "elfread_test_function", &s, &refusal), 0);
    struct uc_location l = {.value = s.value, .size = s.size, .build_id_size = id.n};
    assert_non_null(id.at);
    memcpy(l.build_id, id.at, id.n);
    assert_int_equal(uc_locate_given(&t, "any", &l, &given, &refusal), 0);
    assert_int_equal(given.value, s.value);
    l.build_id[id.n - 1] ^= 1;
    assert_int_equal(uc_locate_given(&t, "any", &l, &given, &refusal), -ENOENT);
    l.build_id[id.n - 1] ^= 1;
    l.size++;
    assert_int_equal(uc_locate_given(&t, "any", &l, &given, &refusal), -EEXIST);
    assert_non_null(refusal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_found),
        cmocka_unit_test(what_is_no_function_is_told),
        cmocka_unit_test(clones_are_told_from_names),
        cmocka_unit_test(written_names_match_mangled_ones),
        cmocka_unit_test(functions_are_told_by_the_unwind_table),
        cmocka_unit_test(a_place_holds_for_its_build),
        cmocka_unit_test(damaged_files_are_safe),
        cmocka_unit_test(short_files_are_safe),
    };
    return cmocka_run_group_tests(tests, open_own, close_own);
}
