// SPDX-License-Identifier: MIT
// Not a proof: it finds a constant, a stuck bit, a skewed byte, a short period, a block that
// follows from the one before. Limits are wide: a good generator fails once in millions of runs.
// claim: the output of each function passes simple tests of bits, bytes, pairs and distances
// matrix: random
#include "lib/draw.h"

static uint8_t *data;
static size_t bytes;

// Mean n - 1, variance 2 (n - 1); eight standard deviations.
static void chi_square(const char *function, const char *what, const uint32_t *counts, size_t n,
                       double total)
{
    double wanted = total / (double)n, sum = 0, free = (double)n - 1, off;

    for (size_t i = 0; i < n; i++)
        sum += (counts[i] - wanted) * (counts[i] - wanted) / wanted;
    off = sum - free;
    CHECK(off * off < 64 * 2 * free, "%s: %s: chi-square %.0f of %.0f", function, what, sum, free);
}

static void test_bits(const char *function)
{
    uint32_t ones[64] = {0};

    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t word;

        memcpy(&word, data + i, 8);
        for (int bit = 0; bit < 64; bit++)
            ones[bit] += word >> bit & 1;
    }
    for (int bit = 0; bit < 64; bit++) {
        double words = (double)(bytes / 8), off = ones[bit] - words / 2;

        CHECK(off * off < 49 * words / 4, "%s: bit %d is set %u times of %.0f", function, bit,
              ones[bit], words);
    }
}

static void test_bytes(const char *function)
{
    uint32_t *pairs = calloc(65536, sizeof(*pairs)), counts[256];
    static const size_t distances[] = {1, 2, 4, 16, 32, 64, 256, 1024};

    CHECK(pairs, "no memory");
    memset(counts, 0, sizeof(counts));
    for (size_t i = 0; i < bytes; i++)
        counts[data[i]]++;
    chi_square(function, "bytes", counts, 256, (double)bytes);
    for (size_t i = 0; i + 2 <= bytes; i += 2)
        pairs[data[i] | data[i + 1] << 8]++;
    chi_square(function, "pairs of bytes", pairs, 65536, (double)(bytes / 2));
    for (size_t d = 0; d < sizeof(distances) / sizeof(distances[0]); d++) {
        memset(counts, 0, sizeof(counts));
        for (size_t i = 0; i + distances[d] < bytes; i++)
            counts[data[i] ^ data[i + distances[d]]]++;
        chi_square(function, "bytes at a distance", counts, 256, (double)(bytes - distances[d]));
    }
    free(pairs);
}

static void fill(enum draw_function function, size_t piece)
{
    for (size_t at = 0; at < bytes; at += piece)
        draw(function, data + at, piece < bytes - at ? piece : bytes - at);
}

int main(void)
{
    static const size_t pieces[] = {16, 200, 4096};

    check_deadline(25);
    bytes = (size_t)draw_count(1 << 20, 64 << 20);
    data = malloc(bytes);
    CHECK(data, "no memory");
    for (int function = 0; function < DRAW_FUNCTIONS; function++)
        for (int i = 0; i < 3; i++) {
            fill((enum draw_function)function, pieces[i]);
            test_bits(draw_names[function]);
            test_bytes(draw_names[function]);
        }
    free(data);
    return CHECK_PASS;
}
