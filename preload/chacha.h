// SPDX-License-Identifier: MIT
// Owns the ChaCha20 keystream (RFC 8439: 32-bit block counter, 96-bit nonce) at several widths, as
// a source of bytes that nobody else must be able to decrypt with: so the words come in the order
// in which vectors hold them, and no width spends a tenth of its time on sorting them by block.
// Keeps no state and no copy of a key: stack and vector registers are erased. Nothing here is
// random.
//
// The keystream is cut into batches of 16 blocks. A batch is the matrix of its blocks, transposed:
// word 0 of blocks 0 to 15, then word 1 of each, up to word 15. What a request leaves over, if it
// is at most 256 bytes, is made of 4 blocks: words 0-3 of blocks 0 to 3, then words 4-7 of each,
// and so on. All widths give the same bytes for the same request.
// Cost: ten double rounds for each block of 64 bytes, of `lanes` blocks at once. No memory but the
// stack, no system call, no branch and no address that depends on a secret.
#ifndef UC_CHACHA_H
#define UC_CHACHA_H

#include <stdbool.h>

#include "compiler.h"

enum {
    UC_CHACHA_KEY = 32,
    UC_CHACHA_BLOCK = 64,
    UC_CHACHA_BATCH = 16 * UC_CHACHA_BLOCK,
    UC_CHACHA_FEW = 4 * UC_CHACHA_BLOCK,
};

// Key in words 0-7, counter in 8, nonce in 9-11.
struct uc_chacha_input {
    uint32_t word[12];
};

struct uc_chacha_width {
    const char *needs;    // of the CPU, in words; "" = nothing
    bool (*usable)(void); // by the CPU that runs this
    // From in's counter on, which is advanced.
    void (*batches)(struct uc_chacha_input *in, uint8_t *out, size_t count);
    void (*few)(struct uc_chacha_input *in, uint8_t *out);
    unsigned lanes; // blocks at once
    bool spills;    // leaves words on the stack below it
};

// Block by block, word by word: what every width is compared with.
void uc_chacha_scalar_batches(struct uc_chacha_input *in, uint8_t *out, size_t count);
void uc_chacha_scalar_few(struct uc_chacha_input *in, uint8_t *out);

// All that were compiled in, best first; the last is the scalar reference. Never empty.
extern const struct uc_chacha_width uc_chacha_widths[];
extern const size_t uc_chacha_width_count;

// Chooses the first usable width with that many lanes; 0, or none such: the first usable.
// Once, while there is one thread, before the first expansion.
void uc_chacha_start(unsigned lanes);
unsigned uc_chacha_lanes(void);

// n bytes from a given block on, by a given width: for tests.
void uc_chacha_stream(const struct uc_chacha_width *width, const struct uc_chacha_input *start,
                      uint8_t *out, size_t n);

// n bytes from block 0 with a zero nonce, by the chosen width: for keys that are used once.
// n <= 256 GiB. key may be the beginning of out.
void uc_chacha_expand(const uint8_t key[UC_CHACHA_KEY], uint8_t *out, size_t n);

#endif
