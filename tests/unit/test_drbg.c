// SPDX-License-Identifier: MIT
// drbg.c: the output is the keystream of one key after another, each erased when it was used; bytes
// are erased as they are handed out; fresh seeds come when they are due, and a refusal is survived;
// a slot that was wiped under a draw gives nothing.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "chacha.h"
#include "drbg.h"
#include "sys.h"

enum { MEGABYTE = 1 << 20 };

static struct uc_slot slot;

static uint64_t count(enum uc_stat stat)
{
    return uncontend_root.shared.stat[stat];
}

static void seed_with(struct uc_slot *s, uint8_t byte)
{
    memset(s, 0, sizeof *s);
    memset(s->stream, byte, UC_SLOT_KEY);
    atomic_store(&s->life, UC_SLOT_SEEDED);
}

static void test_the_output_is_the_keystream_from_its_end(void **state)
{
    (void)state;
    uint8_t key[UC_SLOT_KEY];
    uint8_t model[UC_SLOT_STREAM];
    memset(key, 7, sizeof key);
    seed_with(&slot, 7);
    for (int refill = 0; refill < 3; refill++) {
        uc_chacha_expand(key, model, sizeof model);
        memcpy(key, model, sizeof key);
        size_t left = UC_SLOT_OUTPUT;
        static const size_t sizes[] = {1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100, 255};
        for (size_t i = 0; i < uc_countof(sizes); i++) {
            uint8_t out[256];
            assert_int_equal(uc_drbg_draw(&slot, NULL, out, sizes[i], 0), 0);
            left -= sizes[i];
            assert_memory_equal(out, model + UC_SLOT_KEY + left, sizes[i]);
        }
        uint8_t rest[UC_SLOT_OUTPUT];
        assert_int_equal(slot.left, left);
        assert_int_equal(uc_drbg_draw(&slot, NULL, rest, left, 0), 0);
        assert_memory_equal(rest, model + UC_SLOT_KEY, left);
    }
}

static void test_bytes_are_erased_as_they_are_handed_out(void **state)
{
    (void)state;
    seed_with(&slot, 8);
    uint8_t out[UC_SLOT_OUTPUT];
    for (size_t n = 1; n < 300; n++) {
        assert_int_equal(uc_drbg_draw(&slot, NULL, out, n, 0), 0);
        for (size_t i = UC_SLOT_KEY + slot.left; i < UC_SLOT_STREAM; i++)
            assert_int_equal(slot.stream[i], 0);
    }
}

static void test_a_used_key_is_gone(void **state)
{
    (void)state;
    uint8_t key[UC_SLOT_KEY];
    uint8_t out[3 * UC_SLOT_STREAM];
    memset(key, 9, sizeof key);
    seed_with(&slot, 9);
    assert_int_equal(uc_drbg_draw(&slot, NULL, out, 1, 0), 0);
    assert_null(memmem(&slot, sizeof slot, key, sizeof key));
    memcpy(key, slot.stream, sizeof key);
    assert_int_equal(uc_drbg_draw(&slot, NULL, out, sizeof out, 0), 0);
    assert_int_equal(uc_drbg_draw(&slot, NULL, out, UC_SLOT_OUTPUT, 0), 0);
    assert_null(memmem(&slot, sizeof slot, key, sizeof key));
}

static void test_every_length_is_filled_exactly(void **state)
{
    (void)state;
    static uint8_t out[4096 + 64];
    seed_with(&slot, 10);
    for (size_t n = 0; n <= 4096; n++) {
        memset(out, 0, sizeof out);
        assert_int_equal(uc_drbg_draw(&slot, NULL, out + 32, n, 0), 0);
        for (size_t i = 0; i < 32; i++) {
            assert_int_equal(out[i], 0);
            assert_int_equal(out[32 + n + i], 0);
        }
        // Eight zeros in a row happen once in 2^64.
        uint64_t zero = 0;
        assert_null(memmem(out + 32, n, &zero, sizeof zero));
    }
}

static void test_two_parts_of_a_long_request_differ(void **state)
{
    (void)state;
    static uint8_t out[MEGABYTE];
    seed_with(&slot, 11);
    assert_int_equal(uc_drbg_draw(&slot, NULL, out, sizeof out, 0), 0);
    for (size_t i = 64 * 1024; i < sizeof out; i += 64 * 1024)
        assert_memory_not_equal(out, out + i, 1024);
}

static void test_a_fresh_seed_comes_after_so_many_bytes(void **state)
{
    (void)state;
    static uint8_t out[64 * 1024];
    uc_drbg_start(10 * 1024, 0);
    seed_with(&slot, 12);
    uint64_t before = count(UC_STAT_RANDOM_RESEEDS);
    for (int i = 0; i < 9 * 1024; i += 16)
        assert_int_equal(uc_drbg_draw(&slot, NULL, out, 16, 0), 0);
    assert_int_equal(count(UC_STAT_RANDOM_RESEEDS), before);
    for (int i = 0; i < 3 * 1024; i += 16)
        assert_int_equal(uc_drbg_draw(&slot, NULL, out, 16, 0), 0);
    assert_int_equal(count(UC_STAT_RANDOM_RESEEDS), before + 1);
    // What is made outside the buffer counts as well.
    assert_int_equal(uc_drbg_draw(&slot, NULL, out, sizeof out, 0), 0);
    assert_int_equal(uc_drbg_draw(&slot, NULL, out, 1000, 0), 0);
    assert_int_equal(count(UC_STAT_RANDOM_RESEEDS), before + 2);
    uc_drbg_start(MEGABYTE, 0);
}

static void test_a_fresh_seed_comes_after_so_many_seconds(void **state)
{
    (void)state;
    uint8_t out[1000];
    uc_drbg_start(1 << 30, 30);
    memset(&slot, 0, sizeof slot);
    assert_int_equal(uc_drbg_draw(&slot, NULL, out, sizeof out, 0), 0);
    uint64_t before = count(UC_STAT_RANDOM_RESEEDS);
    assert_int_equal(uc_drbg_draw(&slot, NULL, out, sizeof out, 0), 0);
    assert_int_equal(count(UC_STAT_RANDOM_RESEEDS), before);
    slot.seeded_at -= 31;
    assert_int_equal(uc_drbg_draw(&slot, NULL, out, sizeof out, 0), 0);
    assert_int_equal(count(UC_STAT_RANDOM_RESEEDS), before + 1);
    uc_drbg_start(MEGABYTE, 0);
}

// The fresh seed is mixed in: the keystream is no longer that of the old key alone.
static void test_a_fresh_seed_changes_the_output(void **state)
{
    (void)state;
    uint8_t a[64];
    uint8_t b[64];
    seed_with(&slot, 13);
    assert_int_equal(uc_drbg_draw(&slot, NULL, a, sizeof a, 0), 0);
    seed_with(&slot, 13);
    slot.drawn = MEGABYTE;
    assert_int_equal(uc_drbg_draw(&slot, NULL, b, sizeof b, 0), 0);
    assert_memory_not_equal(a, b, sizeof a);
}

static void test_a_wiped_slot_gives_nothing(void **state)
{
    (void)state;
    uint8_t out[16] = {0};
    memset(&slot, 0, sizeof slot);
    slot.left = 500; // what a draw that was interrupted by a fork may leave behind
    assert_false(uc_drbg_take(&slot, out, sizeof out));
    uint64_t seeds = count(UC_STAT_RANDOM_SEEDS);
    assert_int_equal(uc_drbg_draw(&slot, NULL, out, sizeof out, 0), 0);
    assert_int_equal(count(UC_STAT_RANDOM_SEEDS), seeds + 1);
    assert_int_equal(atomic_load(&slot.life), UC_SLOT_SEEDED);
}

// In a child whose getrandom fails with this errno, always or without waiting: 0 when fn says so.
static void in_child(int error, bool only_nonblocking, int (*fn)(void))
{
    pid_t child = fork();
    if (child == 0) {
        uint32_t flag = only_nonblocking ? GRND_NONBLOCK : 0;
        struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 4),
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
            BPF_STMT(BPF_ALU | BPF_AND | BPF_K, flag),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, flag, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog program = {uc_countof(code), code};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
            _exit(77);
        _exit(fn());
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int first_seed_refused(void)
{
    static const struct uc_slot zero;
    uint8_t out[16];
    memset(&slot, 0, sizeof slot);
    if (uc_drbg_draw(&slot, NULL, out, sizeof out, 0) != -EPERM)
        return 1;
    return memcmp(&slot, &zero, sizeof zero) == 0 ? 0 : 2;
}

static void test_a_refused_first_seed_is_an_error(void **state)
{
    (void)state;
    in_child(EPERM, false, first_seed_refused);
}

static int fresh_seed_refused(void)
{
    uint8_t a[UC_SLOT_OUTPUT];
    uint8_t b[UC_SLOT_OUTPUT];
    seed_with(&slot, 14);
    slot.drawn = MEGABYTE;
    uint64_t refused = count(UC_STAT_RANDOM_REFUSED);
    if (uc_drbg_draw(&slot, NULL, a, sizeof a, 0) || uc_drbg_draw(&slot, NULL, b, sizeof b, 0))
        return 1;
    if (memcmp(a, b, sizeof a) == 0)
        return 2;
    // Once, not at every refill.
    return count(UC_STAT_RANDOM_REFUSED) == refused + 1 ? 0 : 3;
}

static void test_a_refused_fresh_seed_keeps_the_key(void **state)
{
    (void)state;
    in_child(EPERM, false, fresh_seed_refused);
}

static int pool_not_ready(void)
{
    uint8_t out[16];
    memset(&slot, 0, sizeof slot);
    uint64_t waited = count(UC_STAT_RANDOM_WAITED);
    if (uc_drbg_draw(&slot, NULL, out, sizeof out, GRND_NONBLOCK) != -EAGAIN)
        return 1;
    if (count(UC_STAT_RANDOM_WAITED) != waited)
        return 2;
    if (uc_drbg_draw(&slot, NULL, out, sizeof out, 0) != 0)
        return 3;
    return count(UC_STAT_RANDOM_WAITED) == waited + 1 ? 0 : 4;
}

static void test_a_draw_waits_for_the_pool_if_it_may(void **state)
{
    (void)state;
    in_child(EAGAIN, true, pool_not_ready);
}

int main(void)
{
    uc_chacha_start(0);
    uc_move_start(uc_chacha_lanes());
    uc_drbg_start(MEGABYTE, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_output_is_the_keystream_from_its_end),
        cmocka_unit_test(test_bytes_are_erased_as_they_are_handed_out),
        cmocka_unit_test(test_a_used_key_is_gone),
        cmocka_unit_test(test_every_length_is_filled_exactly),
        cmocka_unit_test(test_two_parts_of_a_long_request_differ),
        cmocka_unit_test(test_a_fresh_seed_comes_after_so_many_bytes),
        cmocka_unit_test(test_a_fresh_seed_comes_after_so_many_seconds),
        cmocka_unit_test(test_a_fresh_seed_changes_the_output),
        cmocka_unit_test(test_a_wiped_slot_gives_nothing),
        cmocka_unit_test(test_a_refused_first_seed_is_an_error),
        cmocka_unit_test(test_a_refused_fresh_seed_keeps_the_key),
        cmocka_unit_test(test_a_draw_waits_for_the_pool_if_it_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
