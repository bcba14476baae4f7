// SPDX-License-Identifier: MIT
// chacha.c, chacha_wide.c: RFC 8439's blocks from every width, in batches and in few; the same
// bytes from all widths at all lengths; nothing written past the end; no key left on the stack.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "chacha.h"

enum { LONGEST = 4096, GUARD = 64 };

struct vector {
    const char *key;
    const char *nonce;
    uint32_t counter;
    const char *block;
};

#define VECTOR(key, nonce, counter, block) {key, nonce, counter, block},
static const struct vector vectors[] = {
#include "../vectors/chacha20-rfc8439.def"
};

static void from_hex(void *to, const char *hex)
{
    uint8_t *out = to;
    for (; *hex; hex += 2) {
        unsigned byte;
        assert_int_equal(sscanf(hex, "%2x", &byte), 1);
        *out++ = (uint8_t)byte;
    }
}

static struct uc_chacha_input input_of(const struct vector *v)
{
    struct uc_chacha_input in;
    from_hex(&in.word[0], v->key);
    in.word[8] = v->counter;
    from_hex(&in.word[9], v->nonce);
    return in;
}

// Block j as the RFC orders its words, out of a batch or out of few.
static void block_of(uint8_t block[64], const uint8_t *out, size_t n, unsigned j)
{
    for (unsigned i = 0; i < 16; i++) {
        size_t at = n == UC_CHACHA_BATCH ? i * 64 + j * 4 : i / 4 * 64 + j * 16 + i % 4 * 4;
        memcpy(block + (size_t)i * 4, out + at, 4);
    }
}

#define EACH_WIDTH(w)                                                                              \
    for (const struct uc_chacha_width *w = uc_chacha_widths;                                       \
         w < uc_chacha_widths + uc_chacha_width_count; w++)                                        \
        if (w->usable())

// Started so much earlier that the vector's block is block j.
static void check_vector(const struct uc_chacha_width *w, const struct vector *v, size_t n,
                         unsigned j)
{
    uint8_t expected[64];
    uint8_t found[64];
    uint8_t out[UC_CHACHA_BATCH];
    struct uc_chacha_input in = input_of(v);
    in.word[8] -= j;
    from_hex(expected, v->block);
    uc_chacha_stream(w, &in, out, n);
    block_of(found, out, n, j);
    if (memcmp(expected, found, sizeof found) != 0)
        fail_msg("%u lanes (%s), vector %zu, block %u of %zu bytes", w->lanes, w->needs,
                 (size_t)(v - vectors), j, n);
}

static void test_every_width_gives_the_blocks_of_the_rfc(void **state)
{
    (void)state;
    EACH_WIDTH(w)
    {
        for (size_t i = 0; i < uc_countof(vectors); i++) {
            for (unsigned j = 0; j < UC_CHACHA_BATCH / UC_CHACHA_BLOCK; j++)
                check_vector(w, &vectors[i], UC_CHACHA_BATCH, j);
            for (unsigned j = 0; j < UC_CHACHA_FEW / UC_CHACHA_BLOCK; j++)
                check_vector(w, &vectors[i], UC_CHACHA_FEW, j);
        }
    }
}

static void test_all_widths_agree_at_all_lengths(void **state)
{
    (void)state;
    static uint8_t expected[LONGEST + GUARD];
    static uint8_t found[LONGEST + GUARD];
    struct uc_chacha_input in = input_of(&vectors[0]);
    in.word[8] = UINT32_MAX - 7; // the counter wraps on the way
    for (size_t n = 0; n <= LONGEST; n++) {
        memset(expected, 0xa5, sizeof expected);
        uc_chacha_stream(&uc_chacha_widths[uc_chacha_width_count - 1], &in, expected, n);
        EACH_WIDTH(w)
        {
            memset(found, 0xa5, sizeof found);
            uc_chacha_stream(w, &in, found, n);
            if (memcmp(expected, found, sizeof found) != 0)
                fail_msg("%u lanes (%s) differ at length %zu", w->lanes, w->needs, n);
        }
    }
}

// A long request is batch after batch, and what is left over begins where they ended.
static void test_a_request_goes_on_where_its_last_batch_ended(void **state)
{
    (void)state;
    static uint8_t whole[LONGEST];
    static uint8_t parts[LONGEST];
    static const size_t rests[] = {1, 255, 256, 257, 1023};
    struct uc_chacha_input in = input_of(&vectors[0]);
    EACH_WIDTH(w)
    {
        for (size_t i = 0; i < uc_countof(rests); i++) {
            struct uc_chacha_input later = in;
            later.word[8] += 2 * UC_CHACHA_BATCH / UC_CHACHA_BLOCK;
            size_t n = 2 * UC_CHACHA_BATCH + rests[i];
            uc_chacha_stream(w, &in, whole, n);
            uc_chacha_stream(w, &in, parts, 2 * UC_CHACHA_BATCH);
            uc_chacha_stream(w, &later, parts + 2 * UC_CHACHA_BATCH, rests[i]);
            assert_memory_equal(whole, parts, n);
        }
    }
}

static void test_the_key_may_be_the_beginning_of_the_output(void **state)
{
    (void)state;
    uint8_t expected[UC_CHACHA_BATCH];
    uint8_t found[UC_CHACHA_BATCH];
    EACH_WIDTH(w)
    {
        uc_chacha_start(w->lanes);
        from_hex(found, vectors[0].key);
        uc_chacha_expand(found, expected, sizeof expected);
        uc_chacha_expand(found, found, sizeof found);
        assert_memory_equal(expected, found, sizeof found);
    }
}

static void test_the_width_that_was_asked_for_is_chosen(void **state)
{
    (void)state;
    uc_chacha_start(0);
    unsigned best = uc_chacha_lanes();
    EACH_WIDTH(w)
    {
        assert_in_range(w->lanes, 1, best);
        uc_chacha_start(w->lanes);
        assert_int_equal(uc_chacha_lanes(), w->lanes);
    }
    uc_chacha_start(3);
    assert_int_equal(uc_chacha_lanes(), best);
}

// Without optimisation and under sanitizers every variable has a place there, too many to go after.
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__)
#define EVERYTHING_IS_ON_THE_STACK true
#elif defined(__has_feature)
#define EVERYTHING_IS_ON_THE_STACK __has_feature(address_sanitizer)
#else
#define EVERYTHING_IS_ON_THE_STACK false
#endif

enum { DEPTH = 8192 };

static __attribute__((noinline)) uint8_t paint_stack(void)
{
    volatile uint8_t below[DEPTH];
    for (size_t i = 0; i < DEPTH; i++)
        below[i] = 0xa5;
    return below[DEPTH - 1];
}

// How many words of secret lie where the callee's frames were.
static __attribute__((noinline)) unsigned search_stack(const uint8_t *secret, size_t n)
{
    volatile uint8_t below[DEPTH];
    uc_compiler_barrier();
    unsigned found = 0;
    for (size_t i = 0; i + 4 <= DEPTH; i += 4) {
        uint8_t word[4] = {below[i], below[i + 1], below[i + 2], below[i + 3]};
        for (size_t j = 0; j + 4 <= n; j += 4)
            found += memcmp(word, secret + j, 4) == 0;
    }
    return found;
}

static void test_no_key_and_no_output_stays_on_the_stack(void **state)
{
    (void)state;
    if (EVERYTHING_IS_ON_THE_STACK)
        skip();
    static uint8_t key[UC_CHACHA_KEY];
    static uint8_t out[3 * UC_CHACHA_BATCH];
    static const size_t lengths[] = {100, 256, 500, 1024, 2048 + 300};
    EACH_WIDTH(w)
    {
        uc_chacha_start(w->lanes);
        for (size_t i = 0; i < uc_countof(lengths); i++) {
            from_hex(key, vectors[0].key);
            (void)paint_stack();
            uc_chacha_expand(key, out, lengths[i]);
            unsigned keys = search_stack(key, sizeof key);
            unsigned outputs = search_stack(out, lengths[i]);
            if (keys || outputs)
                fail_msg("%u lanes, %zu bytes: %u words of key, %u of output", w->lanes, lengths[i],
                         keys, outputs);
        }
    }
}

int main(void)
{
    uc_chacha_start(0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_width_gives_the_blocks_of_the_rfc),
        cmocka_unit_test(test_all_widths_agree_at_all_lengths),
        cmocka_unit_test(test_a_request_goes_on_where_its_last_batch_ended),
        cmocka_unit_test(test_the_key_may_be_the_beginning_of_the_output),
        cmocka_unit_test(test_the_width_that_was_asked_for_is_chosen),
        cmocka_unit_test(test_no_key_and_no_output_stays_on_the_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
