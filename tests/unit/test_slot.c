// SPDX-License-Identifier: MIT
// slot.c: slots keep to their pages and cache lines, are empty in a fork's child and kept out of
// core dumps, and what is wiped is gone.
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "arena.h"
#include "slot.h"
#include "thread.h"
#include "wipe.h"

enum { MANY = 40000, MOST_BYTES_PER_THREAD = 2048 };

static void fill(struct uc_slot *s)
{
    memset(s, 0xa5, sizeof *s);
    atomic_store(&s->life, UC_SLOT_SEEDED);
}

static bool is_zero(const struct uc_slot *s)
{
    static const struct uc_slot zero;
    return memcmp(s, &zero, sizeof zero) == 0;
}

static void test_no_slot_crosses_a_page_or_shares_a_cache_line(void **state)
{
    (void)state;
    uintptr_t before = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        uintptr_t s = (uintptr_t)uc_slot_at(i);
        assert_true(s != 0);
        assert_int_equal(s % UC_SLOT_ALIGNMENT, 0);
        assert_int_equal(s / UC_PAGE, (s + sizeof(struct uc_slot) - 1) / UC_PAGE);
        assert_true(before == 0 || s < before || s - before >= sizeof(struct uc_slot));
        before = s;
    }
    assert_ptr_equal(uc_slot_at(7), uc_slot_at(7));
}

static void test_a_thread_costs_2_kib_at_most(void **state)
{
    (void)state;
    const struct uc_arena a = {.size = sizeof(struct uc_slot)};
    size_t n = uc_arena_bytes(&a, 30000);
    assert_true(n <= (size_t)30000 * MOST_BYTES_PER_THREAD);
    assert_true(uc_arena_offset(&a, 29999) + sizeof(struct uc_slot) <= n);
}

static void test_a_forks_child_finds_it_empty(void **state)
{
    (void)state;
    struct uc_slot *s = uc_slot_at(1);
    fill(s);
    pid_t child = fork();
    if (child == 0)
        _exit(is_zero(s) ? 0 : 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(atomic_load(&s->life), UC_SLOT_SEEDED);
    uc_slot_wipe(s);
}

static void test_its_pages_are_wiped_on_fork_and_not_dumped(void **state)
{
    (void)state;
    FILE *f = fopen("/proc/self/smaps", "r");
    assert_non_null(f);
    char line[512];
    uintptr_t from = 0;
    uintptr_t to = 0;
    bool seen = false;
    while (fgets(line, sizeof line, f)) {
        uintptr_t a;
        uintptr_t b;
        uintptr_t s = (uintptr_t)uc_slot_at(0);
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &a, &b) == 2) {
            from = a;
            to = b;
        }
        if (s >= from && s < to && strncmp(line, "VmFlags:", 8) == 0) {
            assert_non_null(strstr(line, " wf"));
            assert_non_null(strstr(line, " dd"));
            seen = true;
        }
    }
    fclose(f);
    assert_true(seen);
}

static void test_what_is_wiped_is_gone(void **state)
{
    (void)state;
    struct uc_slot *s = uc_slot_at(2);
    struct uc_slot *neighbour = uc_slot_at(1);
    fill(s);
    fill(neighbour);
    uc_slot_wipe(s);
    assert_true(is_zero(s));
    assert_int_equal(neighbour->stream[0], 0xa5);
    assert_int_equal(neighbour->stream[UC_SLOT_STREAM - 1], 0xa5);
    uc_slot_wipe(neighbour);
}

static void test_all_used_slots_are_wiped_at_the_end(void **state)
{
    (void)state;
    struct uc_thread *t = uc_thread_self();
    assert_non_null(t);
    fill(uc_slot_at(t->index));
    uc_slot_close();
    assert_true(is_zero(uc_slot_at(t->index)));
}

int main(void)
{
    if (uc_wipe_start() < 0)
        return 77;
    if (uc_thread_start() < 0 || uc_slot_start() < 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_slot_crosses_a_page_or_shares_a_cache_line),
        cmocka_unit_test(test_a_thread_costs_2_kib_at_most),
        cmocka_unit_test(test_a_forks_child_finds_it_empty),
        cmocka_unit_test(test_its_pages_are_wiped_on_fork_and_not_dumped),
        cmocka_unit_test(test_what_is_wiped_is_gone),
        cmocka_unit_test(test_all_used_slots_are_wiped_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
