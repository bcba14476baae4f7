// SPDX-License-Identifier: MIT
// The waiting before libc's, and the engine while it is off. What the engine does when it is on is
// shown under a real preload, in tests/preload.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "options.h"
#include "rwlock.h"
#include "rwlock_wait.h"

static const struct uc_wait plain = {.form = UC_FORM_PLAIN};
static const struct uc_wait try = {.form = UC_FORM_TRY};

static struct uc_wait until(clockid_t clock, const struct timespec *t)
{
    return (struct uc_wait){.form = UC_FORM_CLOCK, .clock = clock, .deadline = t};
}

static int wait_read(struct uc_thread *self, pthread_rwlock_t *rw, const struct uc_wait *wait)
{
    return uc_wait_read(self, rw, wait, NULL);
}

static int wait_write(struct uc_thread *self, pthread_rwlock_t *rw, const struct uc_wait *wait)
{
    int r = uc_wait_write(rw, wait);
    return r == UC_WAIT_ON ? uc_wait_write_on(self, rw, wait, NULL) : r;
}

static void waiting_is_bounded(void **state)
{
    (void)state;
    struct uc_backoff b = {0};
    int looks = 0;
    while (uc_wait_again(&b))
        looks++;
    assert_true(looks == UC_LOOKS_MOST || looks == 0); // 0: one CPU
    assert_false(uc_wait_again(&b));
    assert_true(b.pauses <= UC_WAIT_MOST);
}

static unsigned looks_after(const void *lock, bool got, int times)
{
    while (times-- > 0)
        uc_looks_learn(lock, got);
    return uc_looks_of(lock);
}

static void looks_become_fewer_where_they_are_in_vain(void **state)
{
    (void)state;
    static const char lock[64];
    assert_int_equal(uc_looks_of(lock), UC_LOOKS_MOST);
    assert_int_equal(looks_after(lock, false, 1), UC_LOOKS_MOST - UC_LOOKS_LESS);
    assert_int_equal(looks_after(lock, true, 1), UC_LOOKS_MOST);
    assert_int_equal(looks_after(lock, true, 100), UC_LOOKS_MOST);
    assert_int_equal(looks_after(lock, false, UC_LOOKS_MOST - UC_LOOKS_LEAST), UC_LOOKS_LEAST);
    assert_int_equal(looks_after(lock, false, 1), UC_LOOKS_LEAST);
    assert_int_equal(looks_after(lock, true, 1), UC_LOOKS_LEAST + UC_LOOKS_MORE);
}

static void few_looks_are_not_for_ever(void **state)
{
    (void)state;
    static const char lock[64];
    (void)looks_after(lock, false, UC_LOOKS_MOST - UC_LOOKS_LEAST);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(looks_after(lock, false, UC_LOOKS_PROBE - 1), UC_LOOKS_LEAST);
        assert_int_equal(looks_after(lock, false, 1), UC_LOOKS_MOST);
        assert_int_equal(looks_after(lock, false, 1), UC_LOOKS_LEAST); // in vain again
    }
    assert_int_equal(looks_after(lock, false, UC_LOOKS_PROBE), UC_LOOKS_MOST);
    assert_int_equal(looks_after(lock, true, 1), UC_LOOKS_MOST);
    assert_int_equal(looks_after(lock, false, 1), UC_LOOKS_MOST - UC_LOOKS_LESS);
}

static void waits_in_vain_are_learnt_from(void **state)
{
    (void)state;
    pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
    struct uc_backoff b = {0};
    assert_int_equal(wait_read(NULL, &rw, &plain), 0);
    unsigned before = uc_looks_of(&rw);
    struct timespec soon;
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &soon), 0);
    soon.tv_sec++;
    struct uc_wait w = until(CLOCK_REALTIME, &soon);
    assert_int_equal(wait_write(NULL, &rw, &w), ETIMEDOUT);
    if (uc_wait_again(&b)) // more than one CPU
        assert_int_equal(uc_looks_of(&rw), before - UC_LOOKS_LESS);
    assert_int_equal(uc_libc_unlock(&rw), 0);
}

static void what_libc_calls_invalid_is_invalid(void **state)
{
    (void)state;
    static const struct timespec good = {1, 999999999};
    static const struct timespec low = {1, -1};
    static const struct timespec high = {1, 1000000000};
    struct uc_wait w[] = {until(CLOCK_REALTIME, &good), until(CLOCK_MONOTONIC, &good),
                          until(CLOCK_MONOTONIC, NULL)};
    struct uc_wait bad[] = {until(CLOCK_REALTIME, &low), until(CLOCK_REALTIME, &high),
                            until(CLOCK_BOOTTIME, &good), until(-1, &good)};
    for (size_t i = 0; i < uc_countof(w); i++)
        assert_true(uc_wait_valid(&w[i]));
    pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
    for (size_t i = 0; i < uc_countof(bad); i++) {
        assert_false(uc_wait_valid(&bad[i]));
        assert_int_equal(wait_read(NULL, &rw, &bad[i]), EINVAL);
        assert_int_equal(wait_write(NULL, &rw, &bad[i]), EINVAL);
    }
    assert_int_equal(uc_libc_peek(&rw), 0);
}

static void an_expired_deadline_still_takes_a_free_lock(void **state)
{
    (void)state;
    static const struct timespec long_ago = {1, 0};
    struct uc_wait w = until(CLOCK_MONOTONIC, &long_ago);
    pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
    assert_int_equal(wait_read(NULL, &rw, &w), 0);
    assert_int_equal(wait_write(NULL, &rw, &w), ETIMEDOUT);
    assert_int_equal(uc_libc_unlock(&rw), 0);
    assert_int_equal(wait_write(NULL, &rw, &w), 0);
    assert_int_equal(uc_libc_unlock(&rw), 0);
}

static void the_writer_itself_is_told_at_once(void **state)
{
    (void)state;
    pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
    struct uc_thread self = {0};
    assert_int_equal(wait_write(&self, &rw, &plain), 0);
    self.writer = uc_libc_writer(&rw);
    uint64_t spun = self.block.stat[UC_STAT_LOCK_WAITED];
    assert_int_equal(wait_read(&self, &rw, &plain), EDEADLK);
    assert_int_equal(wait_write(&self, &rw, &plain), EDEADLK);
    assert_int_equal(wait_read(&self, &rw, &try), EBUSY);
    assert_int_equal(self.block.stat[UC_STAT_LOCK_WAITED], spun);
    assert_int_equal(uc_libc_unlock(&rw), 0);
}

static void the_words_of_libcs_lock_mean_what_we_think(void **state)
{
    (void)state;
    pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
    assert_true(uc_libc_free_to_write(uc_libc_peek(&rw)));
    assert_int_equal(uc_libc_read(&rw, &plain), 0);
    assert_int_equal(uc_libc_read(&rw, &plain), 0);
    assert_int_equal(uc_libc_readers(uc_libc_peek(&rw)), 2);
    assert_false(uc_libc_free_to_write(uc_libc_peek(&rw)));
    assert_false(uc_libc_write_held(uc_libc_peek(&rw)));
    assert_int_equal(uc_libc_unlock(&rw), 0);
    assert_int_equal(uc_libc_unlock(&rw), 0);
    assert_int_equal(uc_libc_write(&rw, &plain), 0);
    assert_true(uc_libc_write_held(uc_libc_peek(&rw)));
    assert_true(uc_libc_writer_near(&rw));
    assert_true(uc_libc_writer(&rw) > 0);
    assert_int_equal(uc_libc_unlock(&rw), 0);
    assert_false(uc_libc_write_held(uc_libc_peek(&rw)));
    assert_true(uc_libc_free_to_write(uc_libc_peek(&rw)));
    assert_int_equal(uc_libc_writer(&rw), 0);
}

static void kinds_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        int kind, shared;
        bool ours;
    } rows[] = {
        {PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_PROCESS_PRIVATE, true},
        {PTHREAD_RWLOCK_PREFER_WRITER_NP, PTHREAD_PROCESS_PRIVATE, true},
        {PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP, PTHREAD_PROCESS_PRIVATE, false},
        {PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_PROCESS_SHARED, false},
    };
    for (size_t i = 0; i < uc_countof(rows); i++) {
        pthread_rwlockattr_t attr;
        pthread_rwlock_t rw;
        assert_int_equal(pthread_rwlockattr_init(&attr), 0);
        assert_int_equal(pthread_rwlockattr_setkind_np(&attr, rows[i].kind), 0);
        assert_int_equal(pthread_rwlockattr_setpshared(&attr, rows[i].shared), 0);
        assert_int_equal(uc_libc_init(&rw, &attr), 0);
        assert_int_equal(uc_libc_plain_kind(&rw), rows[i].ours);
        assert_int_equal(uc_libc_destroy(&rw), 0);
    }
}

// This program is linked with the engine but not with the shims: libc's names are not ours.
static void the_engine_stays_off_where_it_is_not_in_front(void **state)
{
    (void)state;
    struct uc_options o;
    struct uc_state s = {0};
    (void)uc_options_parse(&o, NULL, NULL);
    uc_rwlock_start(&o, &s);
    assert_string_equal(s.name, "off");
    assert_string_not_equal(s.reason, "");
    pthread_rwlock_t rw;
    assert_int_equal(uc_rwlock_init(&rw, NULL), 0);
    for (int i = 0; i < 4 * UC_POLICY_FIRST; i++) {
        assert_int_equal(uc_rwlock_read(&rw, &plain), 0);
        assert_int_equal(uc_rwlock_unlock(&rw), 0);
    }
    assert_int_equal(uc_rwlock_write(&rw, &plain), 0);
    assert_int_equal(uc_rwlock_write(&rw, &try), EBUSY);
    assert_int_equal(uc_rwlock_unlock(&rw), 0);
    assert_int_equal(uc_rwlock_destroy(&rw), 0);
}

int main(void)
{
    uc_wait_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_is_bounded),
        cmocka_unit_test(looks_become_fewer_where_they_are_in_vain),
        cmocka_unit_test(few_looks_are_not_for_ever),
        cmocka_unit_test(waits_in_vain_are_learnt_from),
        cmocka_unit_test(what_libc_calls_invalid_is_invalid),
        cmocka_unit_test(an_expired_deadline_still_takes_a_free_lock),
        cmocka_unit_test(the_writer_itself_is_told_at_once),
        cmocka_unit_test(the_words_of_libcs_lock_mean_what_we_think),
        cmocka_unit_test(kinds_are_told_apart),
        cmocka_unit_test(the_engine_stays_off_where_it_is_not_in_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
