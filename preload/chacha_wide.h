// SPDX-License-Identifier: MIT
// ChaCha20 over vectors, written once: chacha_wide.c includes this for each width after it defined
//   WIDE(name)     the names of this width
//   LANES          blocks at once in a batch; a vector has as many words
//   TARGET         the attribute that allows the instructions
//   ROTATE(v, by)  every word of v rotated to the left
//   TURN1 TURN2 TURN3(v)   the words of each 128 bits, rotated by so many towards the beginning
//   SPREAD(q)      128 bits in every 128 bits of a vector
//   ERASE          clears the vector registers (stays defined)
// Cost: as chacha.h says; the text once for each width.

typedef uint32_t WIDE(vector) __attribute__((vector_size(4 * LANES)));

#define V       WIDE(vector)
#define STEP    TARGET static inline __attribute__((always_inline)) void
#define FOUR    _Pragma("GCC unroll 4") for (unsigned i = 0; i < 4; i++)
#define SIXTEEN _Pragma("GCC unroll 16") for (unsigned i = 0; i < 16; i++)

// Quarter rounds side by side, so that each instruction has independent ones behind it. A, B, C, D:
// the words or rows, by i.
#define MIX(each, to, from, target, by)                                                            \
    each to += from;                                                                               \
    each target ^= to;                                                                             \
    each target = ROTATE(target, by)
#define QUARTERS(each)                                                                             \
    MIX(each, A, B, D, 16);                                                                        \
    MIX(each, C, D, B, 12);                                                                        \
    MIX(each, A, B, D, 8);                                                                         \
    MIX(each, C, D, B, 7)

// A batch: word i of block j is lane j of vector i, so that a diagonal is but another choice of
// vectors, and nothing is shuffled.

#define A x[i]
#define B x[4 + (i + shift) % 4]
#define C x[8 + (i + 2 * shift) % 4]
#define D x[12 + (i + 3 * shift) % 4]
STEP WIDE(round)(V *x, unsigned shift)
{
    QUARTERS(FOUR);
}
#undef A
#undef B
#undef C
#undef D

STEP WIDE(load)(V *x, const struct uc_chacha_input *in, V count)
{
    SIXTEEN x[i] = (V){0} + (i < 4 ? constants[i] : in->word[i - 4]);
    x[12] += count;
}

// LANES columns of the transposed batch.
STEP WIDE(columns)(struct uc_chacha_input *restrict in, uint8_t *restrict out, V count)
{
    V x[16];
    V first[16];
    WIDE(load)(x, in, count);
    for (int i = 0; i < 10; i++) {
        WIDE(round)(x, 0);
        WIDE(round)(x, 1);
    }
    uc_compiler_barrier(); // or the key would be kept where there is no room for it: on the stack
    WIDE(load)(first, in, count);
    SIXTEEN
    {
        x[i] += first[i];
        __builtin_memcpy(out + i * 16 * sizeof(uint32_t), &x[i], sizeof x[i]);
    }
    in->word[8] += LANES;
}

TARGET static void WIDE(batches)(struct uc_chacha_input *restrict in, uint8_t *restrict out,
                                 size_t n)
{
    V count = {0};
    for (unsigned i = 0; i < LANES; i++)
        count[i] = i;
    for (; n > 0; n--, out += UC_CHACHA_BATCH) {
        for (unsigned i = 0; i < UC_CHACHA_BATCH / UC_CHACHA_BLOCK / LANES; i++)
            WIDE(columns)(in, out + i * sizeof(V), count);
    }
    ERASE;
}

// Few blocks: a vector holds one row of LANES / 4 of them, and four blocks take 16 / LANES such
// vectors for each row. Less is done at once, but it is done sooner.

typedef V WIDE(rows)[16 / LANES];

#define EACH _Pragma("GCC unroll 4") for (unsigned i = 0; i < 16 / LANES; i++)
#define A    x[0][i]
#define B    x[1][i]
#define C    x[2][i]
#define D    x[3][i]
STEP WIDE(double_round)(WIDE(rows) * x)
{
    QUARTERS(EACH);
    EACH B = TURN1(B);
    EACH C = TURN2(C);
    EACH D = TURN3(D);
    QUARTERS(EACH);
    EACH B = TURN3(B);
    EACH C = TURN2(C);
    EACH D = TURN1(D);
}

STEP WIDE(load_rows)(WIDE(rows) * x, const struct uc_chacha_input *in)
{
    FOUR
    {
        quad row;
        __builtin_memcpy(&row, i == 0 ? constants : in->word + 4 * (i - 1), sizeof row);
        for (unsigned j = 0; j < 16 / LANES; j++)
            x[i][j] = (V)SPREAD(row);
    }
    EACH
    {
        V count = {0};
        for (unsigned j = 0; j < LANES; j++)
            count[j] = j % 4 ? 0 : (i * LANES + j) / 4;
        D += count;
    }
}
#undef A
#undef B
#undef C
#undef D

TARGET static void WIDE(few)(struct uc_chacha_input *restrict in, uint8_t *restrict out)
{
    WIDE(rows) x[4];
    WIDE(rows) first[4];
    WIDE(load_rows)(x, in);
    for (int i = 0; i < 10; i++)
        WIDE(double_round)(x);
    uc_compiler_barrier();
    WIDE(load_rows)(first, in);
    FOUR
    {
        for (unsigned j = 0; j < 16 / LANES; j++) {
            x[i][j] += first[i][j];
            __builtin_memcpy(out + i * 64 + j * sizeof(V), &x[i][j], sizeof(V));
        }
    }
    in->word[8] += 4;
    ERASE;
}

#undef V
#undef STEP
#undef FOUR
#undef SIXTEEN
#undef EACH
#undef MIX
#undef QUARTERS
#undef WIDE
#undef LANES
#undef TARGET
#undef ROTATE
#undef TURN1
#undef TURN2
#undef TURN3
#undef SPREAD
