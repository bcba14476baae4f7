// SPDX-License-Identifier: MIT
// hot.c, hotlist.c, origin.c: who gives way, what a reader may believe, how the list is made.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hot.h"
#include "hotlist.h"
#include "origin.h"

static struct uc_hot table[UC_HOT_SLOTS];
static struct uc_hotlist list;
static struct uc_view view;

static const void *lock(uintptr_t n)
{
    return (const void *)(n * 64);
}

static int empty(void **state)
{
    (void)state;
    memset(table, 0, sizeof table);
    memset(&list, 0, sizeof list);
    memset(&view, 0, sizeof view);
    return 0;
}

// The table's entry of that lock and caller; tries 0: it has none.
static struct uc_hot entry(uintptr_t n, uintptr_t caller)
{
    for (size_t i = 0; i < UC_HOT_SLOTS; i++) {
        struct uc_hot copy;
        if (uc_hot_read(&table[i], &copy) && copy.lock == (uintptr_t)lock(n) &&
            copy.caller == caller)
            return copy;
    }
    return (struct uc_hot){0};
}

static void each_lock_and_caller_is_counted_by_itself(void **state)
{
    (void)state;
    uc_hot_note(table, lock(1), 100, 5, false);
    uc_hot_note(table, lock(1), 100, 7, true);
    uc_hot_note(table, lock(1), 200, 1, true);
    uc_hot_note(table, lock(1), 100 | UC_HOT_WRITE, 2, false);
    uc_hot_note(table, lock(2), 100, 3, false);
    struct uc_hot e = entry(1, 100);
    assert_int_equal(e.tries, 2);
    assert_int_equal(e.waits, 1);
    assert_int_equal(e.ticks, 12);
    assert_int_equal(e.longest, 7);
    assert_int_equal(entry(1, 200).waits, 1);
    assert_int_equal(entry(1, 100 | UC_HOT_WRITE).ticks, 2);
    assert_int_equal(entry(2, 100).ticks, 3);
    uc_hot_note_of(NULL, lock(1), 100, 5, false); // nobody's record
}

static void the_least_busy_gives_way(void **state)
{
    (void)state;
    for (uintptr_t n = 1; n <= UC_HOT_SLOTS; n++)
        uc_hot_note(table, lock(n), 100, n == 3 ? 10 : 1000 + n, true);
    uc_hot_note(table, lock(50), 100, 20, false);
    assert_int_equal(entry(3, 100).tries, 0);
    assert_int_equal(entry(50, 100).ticks, 20);
    assert_int_equal(entry(50, 100).waits, 0); // nothing of the one before
    for (uintptr_t n = 1; n <= UC_HOT_SLOTS; n++)
        assert_int_equal(entry(n, 100).tries, n != 3);
    // However many come, the busy ones stay.
    for (uintptr_t n = 100; n < 1100; n++)
        uc_hot_note(table, lock(n), 100, 1, false);
    assert_int_equal(entry(UC_HOT_SLOTS, 100).tries, 1);
}

static void what_is_being_changed_is_left_alone(void **state)
{
    (void)state;
    struct uc_hot copy;
    for (uintptr_t n = 1; n <= UC_HOT_SLOTS; n++)
        uc_hot_note(table, lock(n), 100, n, false);
    table[0].state |= UC_HOT_MOVING;
    assert_false(uc_hot_read(&table[0], &copy));
    table[1].state |= UC_HOT_ADDING;
    assert_true(uc_hot_read(&table[1], &copy));
    // A handler that interrupted both finds others to use.
    struct uc_hot before[2] = {table[0], table[1]};
    uc_hot_note(table, lock(1), 100, 1, false);
    uc_hot_note(table, lock(2), 100, 1, false);
    uc_hot_note(table, lock(99), 100, 1, false);
    assert_memory_equal(before, table, sizeof before);
    // One that never came back has cost entries, not the program.
    for (size_t i = 0; i < UC_HOT_SLOTS; i++)
        table[i].state |= UC_HOT_ADDING;
    uc_hot_note(table, lock(99), 100, 1, false);
}

static void an_entry_that_moved_says_so(void **state)
{
    (void)state;
    uc_hot_note(table, lock(1), 100, 1, false);
    uint64_t before = table[0].state;
    uc_hot_note(table, lock(1), 100, 1, false);
    assert_true(table[0].state == before);
    for (uintptr_t n = 2; n <= UC_HOT_SLOTS + 1; n++)
        uc_hot_note(table, lock(n), 100, 9, false);
    assert_true(table[0].state != before);
}

static void the_list_adds_and_orders(void **state)
{
    (void)state;
    uc_hotlist_add(
        &list, &(struct uc_hot){
                   .lock = 1, .caller = 10, .tries = 1, .waits = 1, .ticks = 100, .longest = 100});
    uc_hotlist_add(
        &list,
        &(struct uc_hot){
            .lock = 2, .caller = 10 | UC_HOT_WRITE, .tries = 3, .ticks = 500, .longest = 300});
    uc_hotlist_add(
        &list, &(struct uc_hot){
                   .lock = 1, .caller = 10, .tries = 2, .waits = 0, .ticks = 900, .longest = 800});
    uc_hotlist_show(&list, 2000, 1000, &view);
    assert_int_equal(view.hot_count, 2);
    assert_int_equal(view.hot[0].lock, 1);
    assert_int_equal(view.hot[0].tries, 3);
    assert_int_equal(view.hot[0].waits, 1);
    assert_int_equal(view.hot[0].waited, 2000);
    assert_int_equal(view.hot[0].longest, 1600);
    assert_false(view.hot[0].write);
    assert_int_equal(view.hot[1].caller, 10);
    assert_true(view.hot[1].write);
    uc_hotlist_show(&list, 1, 0, &view); // a clock that stands still
}

static void the_list_keeps_the_busiest(void **state)
{
    (void)state;
    for (uintptr_t n = 1; n <= 10 * UC_HOTLIST_MOST; n++)
        uc_hotlist_add(
            &list, &(struct uc_hot){.lock = n, .caller = 10, .tries = 1, .ticks = n * 37 % 641});
    uc_hotlist_show(&list, 1, 1, &view);
    assert_int_equal(view.hot_count, UC_HOT_ROWS);
    for (size_t i = 0; i < UC_HOT_ROWS; i++)
        assert_int_equal(view.hot[i].waited, 640 - i);
}

static void an_address_is_named_once_it_was_noted(void **state)
{
    (void)state;
    char bytes[128];
    struct uc_text t = UC_TEXT(bytes);
    strcpy(uncontend_root.program, "test_hot");
    uc_origin_show((uintptr_t)empty, &t);
    assert_int_equal(strncmp(bytes, "0x", 2), 0);
    uc_origin_start();
    for (int i = 0; i < 100; i++)
        uc_origin_note((uintptr_t)empty);
    uc_origin_note((uintptr_t)strlen);
    uc_origin_note(1);
    t.length = 0;
    uc_origin_show((uintptr_t)empty, &t);
    assert_int_equal(strncmp(bytes, "test_hot+0x", 11), 0);
    t.length = 0;
    uc_origin_show(1, &t);
    assert_string_equal(bytes, "0x1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_lock_and_caller_is_counted_by_itself, empty),
        cmocka_unit_test_setup(the_least_busy_gives_way, empty),
        cmocka_unit_test_setup(what_is_being_changed_is_left_alone, empty),
        cmocka_unit_test_setup(an_entry_that_moved_says_so, empty),
        cmocka_unit_test_setup(the_list_adds_and_orders, empty),
        cmocka_unit_test_setup(the_list_keeps_the_busiest, empty),
        cmocka_unit_test_setup(an_address_is_named_once_it_was_noted, empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
