// SPDX-License-Identifier: MIT
// The policy as a function of what it is told: when a lock is given bias, what a revocation
// teaches, and how several locks share one place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bias_policy.h"

enum { STEP = 32, SPENT = 20, BETWEEN = 50 }; // ticks of a libc read; ticks from read to read

static const uintptr_t ours = 0x1000;
static const uintptr_t other = 0x2000;
static uint64_t now;

static int set_up(void **state)
{
    (void)state;
    now = 1000000;
    return 0;
}

static enum uc_verdict read_some(struct uc_policy *p, uintptr_t lock, uintptr_t owner)
{
    now += (uint64_t)STEP * BETWEEN;
    return uc_policy_read(p, owner, &(struct uc_reads){lock, STEP, SPENT, now});
}

// Reads reported in steps until the verdict is the wanted one; 0 when it is not for `most` reads.
static uint32_t reads_until(struct uc_policy *p, uintptr_t lock, uintptr_t owner,
                            enum uc_verdict wanted, uint32_t most)
{
    for (uint32_t n = STEP; n <= most; n += STEP) {
        enum uc_verdict v = read_some(p, lock, owner);
        if (v == wanted)
            return n;
        assert_int_equal(v, UC_VERDICT_KEEP);
    }
    return 0;
}

static uint32_t reads_until_given(struct uc_policy *p)
{
    uint32_t n = reads_until(p, ours, 0, UC_VERDICT_GIVE, 2 * UC_POLICY_MOST);
    uc_policy_given(p, ours, now);
    return n;
}

// What a bias that lives so long saves, with reads as above.
static uint64_t saving(uint64_t lived)
{
    return lived / BETWEEN * (2 * SPENT - 12);
}

static void revoke(struct uc_policy *p, uint64_t lived, uint64_t cost)
{
    now += lived;
    uc_policy_revoked(p, ours, now, cost);
}

static void bias_comes_after_many_reads(void **state)
{
    (void)state;
    struct uc_policy p = {0};
    assert_int_equal(reads_until_given(&p), UC_POLICY_FIRST);
}

static void a_write_starts_the_count_again(void **state)
{
    (void)state;
    struct uc_policy p = {0};
    for (int i = 0; i < 100; i++) {
        assert_int_equal(reads_until(&p, ours, 0, UC_VERDICT_GIVE, UC_POLICY_FIRST - STEP), 0);
        assert_true(uc_policy_written(&p, ours));
    }
    assert_false(uc_policy_written(&p, other)); // somebody else's write changes nothing
    assert_int_equal(reads_until_given(&p), UC_POLICY_FIRST);
}

static void what_does_not_pay_becomes_rarer_up_to_a_limit(void **state)
{
    (void)state;
    struct uc_policy p = {0};
    uint64_t need = UC_POLICY_FIRST;
    for (int i = 0; i < 16; i++) {
        assert_in_range(reads_until_given(&p), need, need + STEP);
        revoke(&p, 100000, saving(100000) / UC_POLICY_WORTH * 5 / 4);
        need = need * UC_POLICY_STEP < UC_POLICY_MOST ? need * UC_POLICY_STEP : UC_POLICY_MOST;
    }
    assert_int_equal(need, UC_POLICY_MOST);
}

static void what_pays_comes_sooner_down_to_a_limit(void **state)
{
    (void)state;
    struct uc_policy p = {0};
    uint32_t before = 2 * UC_POLICY_FIRST;
    for (int i = 0; i < 16; i++) {
        uint32_t took = reads_until_given(&p);
        assert_true(took < before || took == UC_POLICY_LEAST);
        before = took;
        revoke(&p, 100000, saving(100000) / UC_POLICY_WORTH * 3 / 4);
    }
    assert_int_equal(before, UC_POLICY_LEAST);
}

static void contended_reads_make_more_writes_bearable(void **state)
{
    (void)state;
    const uint64_t lived = 100000;
    const uint64_t cost = saving(lived) / UC_POLICY_WORTH * 5 / 4; // too much, as above
    struct uc_policy p = {0};
    while (uc_policy_read(&p, 0, &(struct uc_reads){ours, STEP, 10 * SPENT, now}) ==
           UC_VERDICT_KEEP)
        now += (uint64_t)STEP * BETWEEN;
    uc_policy_given(&p, ours, now);
    revoke(&p, lived, cost);
    assert_true(atomic_load(&p.need) < UC_POLICY_FIRST);
}

static void one_bad_revocation_is_forgiven(void **state)
{
    (void)state;
    struct uc_policy p = {0};
    for (int i = 0; i < 20; i++) {
        (void)reads_until_given(&p);
        revoke(&p, 1000000, saving(1000000) / 100);
    }
    (void)reads_until_given(&p);
    revoke(&p, 1000, 100000);
    assert_int_equal(reads_until_given(&p), UC_POLICY_LEAST);
}

static void of_two_in_one_place_the_more_read_gets_it(void **state)
{
    (void)state;
    struct uc_policy p = {0};
    for (int i = 0; i < UC_POLICY_FIRST; i++) {
        assert_int_equal(read_some(&p, other, 0), UC_VERDICT_KEEP);
        (void)read_some(&p, ours, 0);
        if (read_some(&p, ours, 0) == UC_VERDICT_GIVE)
            return;
    }
    fail_msg("the lock with two reads of three was never given bias");
}

static void an_owner_has_to_prove_itself_in_the_end(void **state)
{
    (void)state;
    struct uc_policy p = {0};
    uc_policy_given(&p, ours, now);
    assert_int_equal(reads_until(&p, other, ours, UC_VERDICT_EVICT, UC_POLICY_MOST),
                     UC_POLICY_FIRST * UC_POLICY_EVICT);
    assert_int_equal(reads_until(&p, other, ours, UC_VERDICT_EVICT, STEP), 0);
    // The place is free: the rival is the one that reads, so it gets it.
    assert_in_range(reads_until(&p, other, 0, UC_VERDICT_GIVE, UC_POLICY_MOST), STEP,
                    UC_POLICY_FIRST + STEP);
}

static void an_owner_asks_for_nothing(void **state)
{
    (void)state;
    struct uc_policy p = {0};
    uc_policy_given(&p, ours, now);
    assert_int_equal(reads_until(&p, ours, ours, UC_VERDICT_GIVE, 1 << 16), 0);
    assert_int_equal(uc_policy_seen(&p), 0);
}

static void what_is_learnt_is_about_one_lock(void **state)
{
    (void)state;
    struct uc_policy p = {0};
    (void)reads_until_given(&p);
    uc_policy_revoked(&p, other, now, 1 << 20);
    assert_int_equal(atomic_load(&p.need), 0);
    uc_policy_revoked(&p, ours, now, 1 << 20);
    assert_true(atomic_load(&p.need) > UC_POLICY_FIRST);
    uc_policy_given(&p, other, now);
    assert_int_equal(atomic_load(&p.need), 0);
}

static void numbers_do_not_wrap(void **state)
{
    (void)state;
    struct uc_policy p = {0};
    (void)read_some(&p, ours, 0);
    atomic_store(&p.reads, UINT32_MAX - 1);
    atomic_store(&p.spent, UINT32_MAX);
    assert_int_equal(read_some(&p, ours, 0), UC_VERDICT_GIVE);
    uc_policy_given(&p, ours, 0);
    uc_policy_revoked(&p, ours, UINT64_MAX / 1024, 0); // centuries, for nothing
    assert_true(atomic_load(&p.need) < UC_POLICY_FIRST);
}

static void the_usual_follows_slowly(void **state)
{
    (void)state;
    uint64_t usual = uc_policy_usual(0, 1000);
    assert_int_equal(usual, 1000);
    assert_true(uc_policy_usual(usual, 1000000) <= 1400); // one that was descheduled
    for (int i = 0; i < 100; i++)
        usual = uc_policy_usual(usual, 5000);
    assert_in_range(usual, 4500, 5500);
    for (int i = 0; i < 100; i++)
        usual = uc_policy_usual(usual, 100);
    assert_in_range(usual, 90, 120);
    assert_int_equal(uc_policy_usual(1, 1), 1);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bias_comes_after_many_reads),
        TEST(a_write_starts_the_count_again),
        TEST(what_does_not_pay_becomes_rarer_up_to_a_limit),
        TEST(what_pays_comes_sooner_down_to_a_limit),
        TEST(contended_reads_make_more_writes_bearable),
        TEST(one_bad_revocation_is_forgiven),
        TEST(of_two_in_one_place_the_more_read_gets_it),
        TEST(an_owner_has_to_prove_itself_in_the_end),
        TEST(an_owner_asks_for_nothing),
        TEST(what_is_learnt_is_about_one_lock),
        TEST(numbers_do_not_wrap),
        TEST(the_usual_follows_slowly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
