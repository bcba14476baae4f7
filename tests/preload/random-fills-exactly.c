// SPDX-License-Identifier: MIT
// Each length up to three buffers' worth, at each alignment of the end; the byte after the end lies
// on a page that must not be touched, the byte before the start must stay.
// claim: each function writes every byte that it was asked for, and none before or after
// matrix: random
#include "lib/draw.h"

enum { PAGE = 4096, AREA = 12 * PAGE, ROUNDS = 8 };

static uint8_t *end; // of the memory that may be written to

// A byte that is the same in all ROUNDS draws is so by chance once in 2^56 times.
static void try_length(enum draw_function function, size_t bytes, size_t from_end)
{
    static uint8_t first[AREA], varied[AREA];
    uint8_t *start = end - from_end - bytes;

    for (int round = 0; round < ROUNDS; round++) {
        uint8_t before = (uint8_t)(0x11 * (round + 1));

        memset(start - 64, before, bytes + 64 + from_end);
        draw(function, start, bytes);
        for (int i = 1; i <= 64; i++)
            CHECK(start[-i] == before, "%s(%zu) wrote %d bytes before the start",
                  draw_names[function], bytes, i);
        for (size_t i = 0; i < from_end; i++)
            CHECK(start[bytes + i] == before, "%s(%zu) wrote %zu bytes after the end",
                  draw_names[function], bytes, i + 1);
        for (size_t i = 0; i < bytes; i++) {
            // What was not written shows as "before" each time.
            uint8_t value = start[i] == before ? 0 : start[i];

            varied[i] = round > 0 && (varied[i] || value != first[i]);
            first[i] = round > 0 ? first[i] : value;
        }
    }
    for (size_t i = 0; i < bytes; i++)
        CHECK(varied[i], "%s(%zu) never wrote at %zu, or always the same", draw_names[function],
              bytes, i);
}

int main(void)
{
    uint8_t *area =
        mmap(NULL, AREA + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    check_deadline(25);
    CHECK(area != MAP_FAILED, "mmap: %s", strerror(errno));
    CHECK_CALL(mprotect(area + AREA, PAGE, PROT_NONE));
    end = area + AREA;
    for (int function = 0; function < DRAW_FUNCTIONS; function++) {
        // getentropy takes 256; the word functions have no length.
        size_t most = function == DRAW_GETENTROPY ? 257 : 3300;
        size_t step = check_long() ? 1 : 7;

        if (function == DRAW_ARC4RANDOM || function == DRAW_ARC4RANDOM_UNIFORM)
            continue;
        for (size_t bytes = 1; bytes < most; bytes += bytes < 300 ? 1 : step)
            try_length((enum draw_function)function, bytes, 0);
        for (size_t from_end = 1; from_end < 70; from_end++)
            for (size_t bytes = 1; bytes < 257; bytes += 17)
                try_length((enum draw_function)function, bytes, from_end);
    }
    for (size_t bytes = 8000; bytes < 8400; bytes += 13)
        try_length(DRAW_GETRANDOM, bytes, bytes % 16);
    return CHECK_PASS;
}
