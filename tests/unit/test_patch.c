// SPDX-License-Identifier: MIT
// Writing code: inside a page, across two, and what stays as it was: the bytes around, the rights,
// the open descriptors.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "patch.h"

enum { PAGES = 4 };

static uint8_t *pages;

// The rights of the mapping at an address, as /proc/self/maps writes them.
static void rights_at(const void *address, char rights[5])
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    strcpy(rights, "none");
    while (fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        char r[5];
        if (sscanf(line, "%lx-%lx %4s", &from, &to, r) == 3 && (uintptr_t)address >= from &&
            (uintptr_t)address < to)
            memcpy(rights, r, sizeof r);
    }
    fclose(maps);
}

static int lowest_free_descriptor(void)
{
    int fd = open("/dev/null", O_RDONLY);
    close(fd);
    return fd;
}

static void check_write(size_t offset, size_t n)
{
    uint8_t wanted[PAGES * UC_PAGE];
    uint8_t bytes[16];
    int free_descriptor = lowest_free_descriptor();
    memcpy(wanted, pages, sizeof wanted);
    for (size_t i = 0; i < n; i++)
        bytes[i] = wanted[offset + i] = (uint8_t)(0x80 + offset + i);
    assert_int_equal(uc_patch_write(pages + offset, bytes, n), 0);
    assert_memory_equal(pages, wanted, sizeof wanted);
    for (int i = 0; i < PAGES; i++) {
        char rights[5];
        rights_at(pages + (size_t)i * UC_PAGE, rights);
        assert_string_equal(rights, "r-xp");
    }
    assert_int_equal(lowest_free_descriptor(), free_descriptor);
}

static void only_the_bytes_asked_for_change(void **state)
{
    (void)state;
    check_write(0, 5);
    check_write(100, 14);
    check_write(UC_PAGE - 5, 5);
    check_write(UC_PAGE - 3, 5);
    check_write(2 * UC_PAGE - 1, 14);
    check_write(3 * UC_PAGE + 4, 1);
}

static void more_than_two_pages_are_refused(void **state)
{
    (void)state;
    uint8_t many[UC_PAGE + 2] = {0};
    assert_int_equal(uc_patch_write(pages + UC_PAGE - 1, many, sizeof many), -EINVAL);
    assert_int_equal(uc_patch_write(pages, many, 0), -EINVAL);
}

static void new_pages_are_near(void **state)
{
    (void)state;
    static const uint8_t byte = 0xc3;
    uintptr_t near = (uintptr_t)pages;
    for (int i = 0; i < 20; i++) {
        uint8_t *p = uc_patch_page(near, &byte, 1);
        char rights[5];
        assert_non_null(p);
        assert_true(uc_patch_reaches(near, (uintptr_t)p));
        assert_int_equal(p[0], 0xc3);
        assert_int_equal(p[1], 0xcc);
        rights_at(p, rights);
        assert_string_equal(rights, "r-xp");
    }
}

static int map_pages(void **state)
{
    (void)state;
    if (uc_patch_start() < 0)
        return -1;
    pages = mmap(NULL, PAGES * UC_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return -1;
    for (size_t i = 0; i < PAGES * UC_PAGE; i++)
        pages[i] = (uint8_t)(i * 7);
    return mprotect(pages, PAGES * UC_PAGE, PROT_READ | PROT_EXEC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_bytes_asked_for_change),
        cmocka_unit_test(more_than_two_pages_are_refused),
        cmocka_unit_test(new_pages_are_near),
    };
    return cmocka_run_group_tests(tests, map_pages, NULL);
}
