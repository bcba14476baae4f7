// SPDX-License-Identifier: MIT
// ChaCha20 after RFC 8439, the plainest way, as an independent judge of generators built on it.
#ifndef CHACHA_H
#define CHACHA_H

#include "check.h"

static inline uint32_t chacha_left(uint32_t word, int by)
{
    return word << by | word >> (32 - by);
}

static inline void chacha_quarter(uint32_t x[16], int a, int b, int c, int d)
{
    x[a] += x[b];
    x[d] = chacha_left(x[d] ^ x[a], 16);
    x[c] += x[d];
    x[b] = chacha_left(x[b] ^ x[c], 12);
    x[a] += x[b];
    x[d] = chacha_left(x[d] ^ x[a], 8);
    x[c] += x[d];
    x[b] = chacha_left(x[b] ^ x[c], 7);
}

// One block. Words 12 to 15 of the state are block counter and nonce, in whatever split.
static inline void chacha_block(const uint8_t key[32], const uint32_t tail[4], uint8_t out[64])
{
    uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];

    memcpy(start + 4, key, 32);
    memcpy(start + 12, tail, 16);
    memcpy(x, start, sizeof(x));
    for (int i = 0; i < 10; i++) {
        for (int column = 0; column < 4; column++)
            chacha_quarter(x, column, 4 + column, 8 + column, 12 + column);
        for (int column = 0; column < 4; column++)
            chacha_quarter(x, column, 4 + (column + 1) % 4, 8 + (column + 2) % 4,
                           12 + (column + 3) % 4);
    }
    for (int i = 0; i < 16; i++)
        x[i] += start[i];
    memcpy(out, x, 64);
}

#endif
