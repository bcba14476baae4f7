// SPDX-License-Identifier: MIT
// vdso.c: functions of the real vDSO are found by either of its hash tables, what is not there is
// not, and damaged images are survived.
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>

#include <cmocka.h>

#include "vdso.h"

#if defined(__x86_64__)
#define CLOCK "__vdso_clock_gettime"
#else
#define CLOCK "__kernel_clock_gettime"
#endif

static const uint8_t *real;
static uint8_t *copy; // of the vDSO, with nothing behind it
static size_t size;

static const Elf64_Phdr *header_of(const uint8_t *image, uint32_t type)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)image;
    const Elf64_Phdr *p = (const Elf64_Phdr *)(image + e->e_phoff);
    for (unsigned i = 0; i < e->e_phnum; i++) {
        if (p[i].p_type == type)
            return &p[i];
    }
    return NULL;
}

static void restore(void)
{
    memcpy(copy, real, size);
}

static void test_the_clock_is_found_and_works(void **state)
{
    (void)state;
    int (*clock)(clockid_t, struct timespec *) =
        (int (*)(clockid_t, struct timespec *))(uintptr_t)uc_vdso_find(real, CLOCK);
    assert_non_null(clock);
    struct timespec before;
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &before), 0);
    assert_int_equal(clock(CLOCK_MONOTONIC, &now), 0);
    assert_in_range(now.tv_sec, before.tv_sec, before.tv_sec + 60);
}

static void test_what_is_not_there_is_not_found(void **state)
{
    (void)state;
    assert_null(uc_vdso_find(real, "__vdso_no_such_function"));
    assert_null(uc_vdso_find(real, ""));
    assert_null(uc_vdso_find(real, "__vdso_clock_gettime_and_more"));
    assert_null(uc_vdso_find(real, "__vdso_clock_gettim"));
    assert_null(uc_vdso_find(NULL, CLOCK));
}

static bool remove_tag(int64_t tag)
{
    const Elf64_Phdr *dynamic = header_of(copy, PT_DYNAMIC);
    for (Elf64_Dyn *d = (Elf64_Dyn *)(copy + dynamic->p_vaddr); d->d_tag != DT_NULL; d++) {
        if (d->d_tag == tag) {
            d->d_tag = DT_DEBUG;
            return true;
        }
    }
    return false;
}

static void test_either_hash_table_is_enough(void **state)
{
    (void)state;
    size_t offset = (size_t)((const uint8_t *)uc_vdso_find(real, CLOCK) - real);
    restore();
    bool old = remove_tag(DT_HASH);
    if (header_of(real, PT_DYNAMIC) && uc_vdso_find(copy, CLOCK))
        assert_ptr_equal(uc_vdso_find(copy, CLOCK), copy + offset);
    else
        assert_true(old); // the older kind was the only one
    restore();
    bool gnu = remove_tag(DT_GNU_HASH);
    if (uc_vdso_find(copy, CLOCK))
        assert_ptr_equal(uc_vdso_find(copy, CLOCK), copy + offset);
    else
        assert_true(gnu);
    restore();
    remove_tag(DT_HASH);
    remove_tag(DT_GNU_HASH);
    assert_null(uc_vdso_find(copy, CLOCK));
}

static void test_other_files_are_refused(void **state)
{
    (void)state;
    restore();
    copy[0] = 0;
    assert_null(uc_vdso_find(copy, CLOCK));
    restore();
    copy[EI_CLASS] = ELFCLASS32;
    assert_null(uc_vdso_find(copy, CLOCK));
}

// Every byte of the tables in turn, in eight ways. The size of the segment is the kernel's word.
static void test_damaged_images_are_survived(void **state)
{
    (void)state;
    const Elf64_Phdr *load = header_of(real, PT_LOAD);
    size_t trusted = (size_t)((const uint8_t *)&load->p_filesz - real);
    for (size_t i = 0; i < size; i++) {
        if (i >= trusted && i < trusted + sizeof load->p_filesz)
            continue;
        for (int bit = 0; bit < 8; bit++) {
            copy[i] ^= (uint8_t)(1 << bit);
            const void *found = uc_vdso_find(copy, CLOCK);
            assert_true(!found ||
                        ((const uint8_t *)found >= copy && (const uint8_t *)found < copy + size));
            copy[i] = real[i];
        }
        copy[i] = 0xff;
        (void)uc_vdso_find(copy, CLOCK);
        copy[i] = real[i];
    }
}

int main(void)
{
    real = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
    if (!real || !header_of(real, PT_LOAD) || !header_of(real, PT_DYNAMIC))
        return 77;
    // Behind the copy nothing can be read.
    size = header_of(real, PT_LOAD)->p_filesz;
    size_t pages = (size + 4095) / 4096 * 4096;
    uint8_t *map =
        mmap(NULL, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map + pages, 4096, PROT_NONE) != 0)
        return 77;
    copy = map + (pages - size) / 64 * 64;
    restore();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_clock_is_found_and_works),
        cmocka_unit_test(test_what_is_not_there_is_not_found),
        cmocka_unit_test(test_either_hash_table_is_enough),
        cmocka_unit_test(test_other_files_are_refused),
        cmocka_unit_test(test_damaged_images_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
