// SPDX-License-Identifier: MIT
// A bound of 3 * 2^30 makes the plain remainder return its lowest third twice as often as the rest,
// and the high half of the plain product every third value twice as often: so values are counted by
// size and by remainder. The limits are six standard deviations: one good run in a hundred million
// fails.
// claim: arc4random_uniform is unbiased, and below its bound, for bounds small, large and odd
// matrix: random
#include "lib/draw.h"

enum { PARTS = 48 };

static void check_alike(const long counts[PARTS], long draws, uint32_t bound, const char *by)
{
    double wanted = (double)draws / PARTS, sum = 0;

    for (int i = 0; i < PARTS; i++)
        sum += (counts[i] - wanted) * (counts[i] - wanted) / wanted;
    // Chi-square with n degrees of freedom: mean n, variance 2n; its upper tail is a little thick.
    CHECK(sum < PARTS - 1 + 7 * 9.7, "bound %u, by %s: chi-square %.1f with %d degrees of freedom",
          bound, by, sum, PARTS - 1);
}

// Do `draws` below `bound` fall alike into PARTS equal parts, and leave alike remainders?
static void try_bound(uint32_t bound, long draws)
{
    long sizes[PARTS] = {0}, remainders[PARTS] = {0};

    for (long i = 0; i < draws; i++) {
        uint32_t value = arc4random_uniform(bound);

        CHECK(value < bound, "arc4random_uniform(%u) = %u", bound, value);
        sizes[(uint64_t)value * PARTS / bound]++;
        remainders[value % PARTS]++;
    }
    check_alike(sizes, draws, bound, "size");
    check_alike(remainders, draws, bound, "remainder");
}

int main(void)
{
    long draws = draw_count(100000, 5000000);

    check_deadline(25);
    if (!draw_has(DRAW_ARC4RANDOM_UNIFORM))
        SKIP("this C library has no arc4random_uniform");
    // All are multiples of PARTS, or so large that the remainder does not show.
    try_bound(PARTS, draws);
    try_bound(PARTS * 1001, draws);
    try_bound(3U << 30, draws);
    try_bound((1U << 31) + 1, draws);
    try_bound(0xAAAAAAAB, draws);
    try_bound(UINT32_MAX, draws);
    for (uint32_t bound = 2; bound < 20; bound++) {
        uint32_t seen = 0;

        for (int i = 0; i < 2000; i++)
            seen |= 1U << arc4random_uniform(bound);
        CHECK(seen == (1U << bound) - 1, "below %u: only the values in %#x", bound, seen);
    }
    return CHECK_PASS;
}
