// SPDX-License-Identifier: MIT
// The table of words and the entries of threads: who may change what from which state, and that no
// hold is lost or counted twice on the way.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../fault/fault.h"
#include "bias.h"
#include "rwlock.h"

static const struct uc_wait plain = {.form = UC_FORM_PLAIN};
static const struct uc_wait try = {.form = UC_FORM_TRY};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static unsigned place;

static uintptr_t word(void)
{
    return uc_bias_look(place);
}

static uint32_t depth(void)
{
    return atomic_load(&uc_hold_entry(uc_thread_self(), place)->depth);
}

static int set_up(void **state)
{
    (void)state;
    lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    place = uc_bias_place(&lock);
    atomic_store(&uc_bias_word[place], 0);
    uc_bias_policy[place] = (struct uc_policy){0};
    return uc_thread_self() ? 0 : -1;
}

static int set_up_biased(void **state)
{
    return set_up(state) || !uc_bias_word_give(place, &lock) ? -1 : 0;
}

static void what_carries_something_is_marked(void **state)
{
    (void)state;
    uc_bias_unmark(place);
    assert_false(uc_bias_is_marked(place));
    assert_true(uc_bias_word_give(place, &lock));
    assert_true(uc_bias_is_marked(place));
    uc_bias_unmark(place); // too early
    assert_true(uc_bias_is_marked(place));
    uc_bias_forget(&lock);
    assert_int_equal(word(), 0);
    uc_bias_mark(place);
    assert_true(uc_bias_is_marked(place));
    uc_bias_unmark(place);
    assert_false(uc_bias_is_marked(place));
}

// Runs fn in a thread of its own and waits for its end. cmocka's asserts stay in this one.
static void in_thread(void *(*fn)(void *))
{
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, fn, NULL), 0);
    assert_int_equal(pthread_join(t, NULL), 0);
}

static size_t distinct_places(size_t stride, unsigned mask)
{
    static unsigned char seen[UC_BIAS_WORDS];
    size_t n = 0;
    memset(seen, 0, sizeof seen);
    for (uintptr_t i = 0; i < 1024; i++) {
        unsigned p = uc_bias_place((const void *)(0x7f1234560010 + i * stride)) & mask;
        n += !seen[p];
        seen[p] = 1;
    }
    return n;
}

static void places_are_spread(void **state)
{
    (void)state;
    static const size_t strides[] = {56, 64, 72, 128, 192, 256, 1024, 4096, 65536, 1 << 20};
    for (size_t i = 0; i < uc_countof(strides); i++) {
        // Chance alone would use 906 of 4096.
        if (distinct_places(strides[i], UC_BIAS_WORDS - 1) < 800)
            fail_msg("1024 locks %zu bytes apart: %zu places", strides[i],
                     distinct_places(strides[i], UC_BIAS_WORDS - 1));
        assert_int_equal(distinct_places(strides[i], UC_HELD - 1), UC_HELD);
    }
}

static void a_place_is_given_once(void **state)
{
    (void)state;
    assert_true(uc_bias_word_give(place, &lock));
    assert_true(uc_bias_open(word(), &lock));
    assert_false(uc_bias_word_give(place, &lock));
}

static void the_last_writer_frees_a_drained_place(void **state)
{
    (void)state;
    bool first;
    assert_true(uc_bias_word_close(place, &lock, &first));
    assert_true(first);
    assert_true(uc_bias_word_close(place, &lock, &first));
    assert_false(first);
    assert_false(uc_bias_word_give(place, &lock));
    uc_bias_word_drained(place);
    assert_false(uc_bias_open(word(), &lock));
    assert_false(uc_bias_word_close(place, &lock, &first));
    uc_bias_word_lower(place);
    assert_true(uc_bias_names(word(), &lock));
    uc_bias_word_lower(place);
    assert_int_equal(word(), 0);
}

static void a_writer_that_gives_up_leaves_the_bias(void **state)
{
    (void)state;
    bool first;
    uintptr_t before = word();
    assert_true(uc_bias_word_close(place, &lock, &first));
    uc_bias_word_lower(place);
    assert_int_equal(word(), before);
}

static void a_biased_lock_is_read_without_libc(void **state)
{
    (void)state;
    assert_true(uc_rwlock_hold(&lock, place));
    assert_int_equal(depth(), 1);
    assert_int_equal(uc_libc_peek(&lock), 0);
    assert_int_equal(uc_hold_find(place, &lock), UC_HOLD_SOME);
    assert_true(uc_rwlock_let_go(&lock, place));
    assert_int_equal(depth(), 0);
    assert_int_equal(uc_hold_find(place, &lock), UC_HOLD_NOBODY);
}

static void other_kinds_are_not_read_so(void **state)
{
    (void)state;
    lock.__data.__flags = PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
    assert_false(uc_rwlock_hold(&lock, place));
    lock.__data.__flags = PTHREAD_RWLOCK_PREFER_WRITER_NP;
    assert_true(uc_rwlock_hold(&lock, place));
    assert_true(uc_rwlock_let_go(&lock, place));
    lock.__data.__shared = 1;
    assert_false(uc_rwlock_hold(&lock, place));
}

static void a_holder_may_read_again_while_a_writer_waits(void **state)
{
    (void)state;
    struct uc_thread *self = uc_thread_self();
    bool first;
    assert_false(uc_hold_take(self, &lock, place)); // not what the slow path is for
    assert_true(uc_rwlock_hold(&lock, place));
    assert_true(uc_bias_word_close(place, &lock, &first));
    assert_false(uc_rwlock_hold(&lock, place));
    assert_true(uc_hold_take(self, &lock, place));
    assert_int_equal(depth(), 2);
    assert_true(uc_hold_drop(self, &lock, place));
    assert_int_equal(uc_hold_find(place, &lock), UC_HOLD_SOME);
    assert_true(uc_hold_drop(self, &lock, place));
    assert_int_equal(uc_hold_find(place, &lock), UC_HOLD_NOBODY);
    assert_false(uc_hold_drop(self, &lock, place));
    uc_bias_word_lower(place);
}

static void a_hold_that_is_not_confirmed_is_not_one(void **state)
{
    (void)state;
    struct uc_thread *self = uc_thread_self();
    struct uc_held *e = uc_hold_entry(self, place);
    atomic_store(&e->lock, (uintptr_t)&lock); // as a handler finds it
    assert_int_equal(uc_hold_find(place, &lock), UC_HOLD_COMING);
    assert_false(uc_rwlock_hold(&lock, place));
    assert_false(uc_rwlock_let_go(&lock, place));
    assert_false(uc_hold_take(self, &lock, place));
    assert_false(uc_hold_drop(self, &lock, place));
    assert_false(uc_hold_drop_any(&lock, place));
    atomic_store(&e->lock, 0);
}

static void another_lock_in_the_entry_is_left_alone(void **state)
{
    (void)state;
    struct uc_held *e = uc_hold_entry(uc_thread_self(), place);
    atomic_store(&e->lock, (uintptr_t)&e);
    atomic_store(&e->depth, 3);
    assert_false(uc_rwlock_hold(&lock, place));
    assert_false(uc_rwlock_let_go(&lock, place));
    assert_int_equal(depth(), 3);
    atomic_store(&e->lock, 0);
    atomic_store(&e->depth, 0);
}

static void a_try_that_meets_a_reader_changes_nothing(void **state)
{
    (void)state;
    bool joined;
    uintptr_t before = word();
    assert_true(uc_rwlock_hold(&lock, place));
    assert_int_equal(uc_bias_close(uc_thread_self(), &lock, place, &try, &joined), EBUSY);
    assert_false(joined);
    assert_int_equal(word(), before);
    assert_true(uc_rwlock_let_go(&lock, place));
    assert_int_equal(uc_bias_close(uc_thread_self(), &lock, place, &try, &joined), 0);
    assert_true(joined);
    uc_bias_lower(uc_thread_self(), place);
    assert_int_equal(word(), 0);
}

static void a_deadline_that_passes_leaves_the_bias(void **state)
{
    (void)state;
    static const struct timespec long_ago[] = {{1, 0}, {-1, 0}};
    bool joined;
    uintptr_t before = word();
    assert_true(uc_rwlock_hold(&lock, place));
    for (size_t i = 0; i < uc_countof(long_ago); i++) {
        struct uc_wait wait = {UC_FORM_CLOCK, CLOCK_MONOTONIC, &long_ago[i], NULL};
        assert_int_equal(uc_bias_close(uc_thread_self(), &lock, place, &wait, &joined), ETIMEDOUT);
        assert_int_equal(word(), before);
    }
    assert_true(uc_rwlock_let_go(&lock, place));
    struct uc_wait wait = {UC_FORM_CLOCK, CLOCK_MONOTONIC, &long_ago[0], NULL};
    assert_int_equal(uc_bias_close(uc_thread_self(), &lock, place, &wait, &joined), 0);
    assert_true(joined);
    uc_bias_lower(uc_thread_self(), place);
}

static struct uc_thread *seen;

static void *read_and_end(void *unused)
{
    (void)unused;
    seen = uc_thread_self();
    return (void *)(uintptr_t)uc_rwlock_hold(&lock, place);
}

static void a_reader_that_ended_still_holds(void **state)
{
    (void)state;
    in_thread(read_and_end);
    assert_int_equal(atomic_load(&seen->life), UC_LIFE_GHOST);
    assert_int_equal(uc_hold_find(place, &lock), UC_HOLD_SOME);
    assert_true(uc_hold_drop_any(&lock, place));
    assert_int_equal(uc_hold_find(place, &lock), UC_HOLD_NOBODY);
    assert_int_equal(atomic_load(&seen->life), UC_LIFE_FREE);
    assert_false(uc_hold_drop_any(&lock, place));
}

static void *let_go_for_main(void *unused)
{
    (void)unused;
    return (void *)(uintptr_t)uc_hold_drop_any(&lock, place);
}

static void another_thread_may_let_go(void **state)
{
    (void)state;
    assert_true(uc_rwlock_hold(&lock, place));
    in_thread(let_go_for_main);
    assert_int_equal(depth(), 0);
    assert_true(uc_rwlock_hold(&lock, place)); // the entry is as good as new
    assert_true(uc_rwlock_let_go(&lock, place));
}

static void init_forgets_holds_and_bias(void **state)
{
    (void)state;
    in_thread(read_and_end);
    uc_bias_forget(&lock);
    assert_int_equal(word(), 0);
    assert_int_equal(uc_hold_find(place, &lock), UC_HOLD_NOBODY);
    assert_int_equal(atomic_load(&seen->life), UC_LIFE_FREE);
}

static void handed_over_holds_are_libcs(void **state)
{
    (void)state;
    struct uc_thread *self = uc_thread_self();
    bool first;
    assert_true(uc_rwlock_hold(&lock, place));
    assert_true(uc_bias_word_close(place, &lock, &first));
    assert_true(uc_hold_take(self, &lock, place));
    uc_hold_hand_over(&lock, place);
    uc_hold_hand_over(&lock, place); // once is enough
    assert_int_equal(uc_libc_readers(uc_libc_peek(&lock)), 2);
    assert_int_equal(uc_hold_find(place, &lock), UC_HOLD_NOBODY);
    assert_false(uc_hold_take(self, &lock, place)); // from here on libc's lock is the one to take
    assert_false(uc_hold_drop(self, &lock, place)); // nor to release
    assert_int_equal(uc_libc_readers(uc_libc_peek(&lock)), 2);
    assert_int_equal(uc_rwlock_unlock(&lock), 0);
    assert_int_equal(uc_rwlock_unlock(&lock), 0);
    assert_int_equal(uc_libc_peek(&lock), 0);
    assert_int_equal(depth(), 0);
    atomic_store(&uc_bias_word[place], 0);
}

// The inline path had begun to let go when the hold was handed over.
static void a_hold_handed_over_too_late_is_given_back(void **state)
{
    (void)state;
    struct uc_held *e = uc_hold_entry(uc_thread_self(), place);
    assert_int_equal(uc_libc_read(&lock, &plain), 0);
    atomic_store(&e->handed, 1);
    uc_hold_left(e, &lock, place);
    assert_int_equal(uc_libc_peek(&lock), 0);
    assert_int_equal(atomic_load(&e->handed), 0);
}

static void what_is_not_sure_counts_as_nothing_and_goes(void **state)
{
    (void)state;
    struct uc_held *e = uc_hold_entry(uc_thread_self(), place);
    assert_true(uc_rwlock_hold(&lock, place));
    atomic_store(&e->handed, UC_HANDED_UNSURE);
    assert_int_equal(uc_hold_find(place, &lock), UC_HOLD_SOME);
    assert_int_equal(uc_rwlock_unlock(&lock), 0);
    assert_int_equal(uc_libc_peek(&lock), 0);
    assert_int_equal(atomic_load(&e->handed), 0);
    assert_int_equal(depth(), 0);
}

static void somebody_undecided_is_handed_over_and_may_step_back(void **state)
{
    (void)state;
    struct uc_held *e = uc_hold_entry(uc_thread_self(), place);
    atomic_store(&e->lock, (uintptr_t)&lock);
    uc_hold_hand_over(&lock, place);
    assert_int_equal(uc_libc_readers(uc_libc_peek(&lock)), 1);
    assert_int_equal(uc_hold_find(place, &lock), UC_HOLD_NOBODY);
    atomic_store(&e->lock, 0); // the word had changed
    uc_hold_left(e, &lock, place);
    assert_int_equal(uc_libc_peek(&lock), 0);
}

static void somebody_undecided_is_handed_over_and_may_hold(void **state)
{
    (void)state;
    struct uc_held *e = uc_hold_entry(uc_thread_self(), place);
    atomic_store(&e->lock, (uintptr_t)&lock);
    uc_hold_hand_over(&lock, place);
    atomic_store(&e->depth, 1); // the word had not changed yet
    assert_int_equal(uc_hold_find(place, &lock), UC_HOLD_NOBODY);
    assert_int_equal(uc_rwlock_unlock(&lock), 0);
    assert_int_equal(uc_libc_peek(&lock), 0);
    assert_int_equal(depth(), 0);
}

static void a_child_keeps_its_own_holds_only(void **state)
{
    (void)state;
    bool first;
    in_thread(read_and_end);
    assert_true(uc_rwlock_hold(&lock, place));
    assert_true(uc_bias_word_close(place, &lock, &first)); // by a thread the child does not have
    pid_t child = fork();
    if (child == 0) {
        bool own = uc_bias_open(word(), &lock) && !(word() & UC_BIAS_CLOSED) && depth() == 1;
        bool released = uc_hold_drop(uc_thread_self(), &lock, place);
        _exit(own && released && uc_hold_find(place, &lock) == UC_HOLD_NOBODY ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(word() & UC_BIAS_CLOSED);
    assert_true(uc_hold_drop(uc_thread_self(), &lock, place));
    assert_true(uc_hold_drop_any(&lock, place));
    uc_bias_word_lower(place);
}

static void a_nap_ends_where_nobody_tells_the_time(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        fault_refuse(SYS_clock_gettime, EPERM);
        uc_bias_nap();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

static int start(void **state)
{
    (void)state;
    if (uc_thread_start() < 0 || !uc_thread_self())
        return -1;
    return uc_bias_start(false) ? 0 : -1;
}

#define FREE(test)   cmocka_unit_test_setup(test, set_up)
#define BIASED(test) cmocka_unit_test_setup(test, set_up_biased)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_carries_something_is_marked, set_up),
        cmocka_unit_test(places_are_spread),
        cmocka_unit_test(a_nap_ends_where_nobody_tells_the_time),
        FREE(a_place_is_given_once),
        BIASED(the_last_writer_frees_a_drained_place),
        BIASED(a_writer_that_gives_up_leaves_the_bias),
        BIASED(a_biased_lock_is_read_without_libc),
        BIASED(other_kinds_are_not_read_so),
        BIASED(a_holder_may_read_again_while_a_writer_waits),
        BIASED(a_hold_that_is_not_confirmed_is_not_one),
        BIASED(another_lock_in_the_entry_is_left_alone),
        BIASED(a_try_that_meets_a_reader_changes_nothing),
        BIASED(a_deadline_that_passes_leaves_the_bias),
        BIASED(a_reader_that_ended_still_holds),
        BIASED(another_thread_may_let_go),
        BIASED(init_forgets_holds_and_bias),
        BIASED(handed_over_holds_are_libcs),
        BIASED(a_hold_handed_over_too_late_is_given_back),
        BIASED(what_is_not_sure_counts_as_nothing_and_goes),
        BIASED(somebody_undecided_is_handed_over_and_may_step_back),
        BIASED(somebody_undecided_is_handed_over_and_may_hold),
        BIASED(a_child_keeps_its_own_holds_only),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
