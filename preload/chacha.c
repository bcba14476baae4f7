// SPDX-License-Identifier: MIT
// Owns the choice of width and the cutting of a request into batches.
#include "chacha.h"

#include "poison.h"

static const struct uc_chacha_width *chosen;

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

static void quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *a += *b;
    *d = rotate(*d ^ *a, 16);
    *c += *d;
    *b = rotate(*b ^ *c, 12);
    *a += *b;
    *d = rotate(*d ^ *a, 8);
    *c += *d;
    *b = rotate(*b ^ *c, 7);
}

static void scalar_block(struct uc_chacha_input *in, uint32_t out[16])
{
    uint32_t first[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    __builtin_memcpy(first + 4, in->word, sizeof in->word);
    __builtin_memcpy(out, first, sizeof first);
    for (int round = 0; round < 20; round += 2) {
        for (unsigned i = 0; i < 4; i++)
            quarter(&out[i], &out[4 + i], &out[8 + i], &out[12 + i]);
        for (unsigned i = 0; i < 4; i++)
            quarter(&out[i], &out[4 + (i + 1) % 4], &out[8 + (i + 2) % 4], &out[12 + (i + 3) % 4]);
    }
    for (unsigned i = 0; i < 16; i++)
        out[i] += first[i];
    uc_wipe(first, sizeof first);
    in->word[8]++;
}

void uc_chacha_scalar_batches(struct uc_chacha_input *in, uint8_t *out, size_t count)
{
    uint32_t block[16];
    for (size_t j = 0; j < 16 * count; j++) {
        scalar_block(in, block);
        uint8_t *column = out + j / 16 * UC_CHACHA_BATCH + j % 16 * 4;
        for (unsigned i = 0; i < 16; i++)
            __builtin_memcpy(column + (size_t)i * 64, &block[i], 4);
    }
    uc_wipe(block, sizeof block);
}

void uc_chacha_scalar_few(struct uc_chacha_input *in, uint8_t *out)
{
    uint32_t block[16];
    for (unsigned j = 0; j < 4; j++) {
        scalar_block(in, block);
        for (unsigned i = 0; i < 4; i++)
            __builtin_memcpy(out + (size_t)i * 64 + (size_t)j * 16, &block[4 * i], 16);
    }
    uc_wipe(block, sizeof block);
}

// Narrow widths have too few registers for all sixteen words and leave some on the stack. Called
// from where they were called from, this goes where they were.
static UC_COLD void erase_stack(void)
{
    uint8_t below[1024];
    uc_wipe(below, sizeof below);
}

static inline void make_batches(const struct uc_chacha_width *w, struct uc_chacha_input *in,
                                uint8_t *out, size_t count)
{
    w->batches(in, out, count);
    if (w->spills)
        erase_stack();
}

static inline void make_few(const struct uc_chacha_width *w, struct uc_chacha_input *in,
                            uint8_t *out)
{
    w->few(in, out);
    if (w->spills)
        erase_stack();
}

static __attribute__((noinline)) void
part_of_batch(const struct uc_chacha_width *w, struct uc_chacha_input *in, uint8_t *out, size_t n)
{
    uint8_t whole[UC_CHACHA_BATCH];
    make_batches(w, in, whole, 1);
    __builtin_memcpy(out, whole, n);
    uc_wipe(whole, sizeof whole);
}

static __attribute__((noinline)) void
part_of_few(const struct uc_chacha_width *w, struct uc_chacha_input *in, uint8_t *out, size_t n)
{
    uint8_t whole[UC_CHACHA_FEW];
    make_few(w, in, whole);
    __builtin_memcpy(out, whole, n);
    uc_wipe(whole, sizeof whole);
}

static inline void stream(const struct uc_chacha_width *w, struct uc_chacha_input *in, uint8_t *out,
                          size_t n)
{
    size_t rest = n % UC_CHACHA_BATCH;
    if (n >= UC_CHACHA_BATCH)
        make_batches(w, in, out, n / UC_CHACHA_BATCH);
    out += n - rest;
    if (rest > UC_CHACHA_FEW)
        part_of_batch(w, in, out, rest);
    else if (rest == UC_CHACHA_FEW)
        make_few(w, in, out);
    else if (rest > 0)
        part_of_few(w, in, out, rest);
}

void uc_chacha_stream(const struct uc_chacha_width *width, const struct uc_chacha_input *start,
                      uint8_t *out, size_t n)
{
    struct uc_chacha_input in = *start;
    stream(width, &in, out, n);
    uc_wipe(&in, sizeof in);
}

void uc_chacha_expand(const uint8_t key[UC_CHACHA_KEY], uint8_t *out, size_t n)
{
    // The copy is what lets key be the beginning of out.
    struct uc_chacha_input in = {0};
    __builtin_memcpy(in.word, key, UC_CHACHA_KEY);
    stream(chosen, &in, out, n);
    uc_wipe(&in, sizeof in);
}

void uc_chacha_start(unsigned lanes)
{
    const struct uc_chacha_width *best = NULL;
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    for (size_t i = 0; i < uc_chacha_width_count; i++) {
        const struct uc_chacha_width *w = &uc_chacha_widths[i];
        if (w->usable() && (!best || (w->lanes == lanes && best->lanes != lanes)))
            best = w;
    }
    chosen = best;
}

unsigned uc_chacha_lanes(void)
{
    return chosen->lanes;
}
