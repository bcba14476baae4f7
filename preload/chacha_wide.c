// SPDX-License-Identifier: MIT
// Owns the widths of ChaCha20 that this architecture has, and which CPU may use which. The
// algorithm is in chacha_wide.h; here are only instruction sets and register names.
#include "chacha.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "poison.h"

static const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

typedef uint32_t quad __attribute__((vector_size(16)));

// What ran through the registers must not be left in them, where a core dump would find it.
#define LOW(of)                                                                                    \
    of(0) of(1) of(2) of(3) of(4) of(5) of(6) of(7) of(8) of(9) of(10) of(11) of(12) of(13) of(14) \
        of(15)
#define HIGH(of)                                                                                   \
    of(16) of(17) of(18) of(19) of(20) of(21) of(22) of(23) of(24) of(25) of(26) of(27) of(28)     \
        of(29) of(30) of(31)
#if defined(__x86_64__)
#define CLEAR_SSE(n)  "pxor %%xmm" #n ", %%xmm" #n "\n"
#define CLEAR_AVX(n)  "vpxor %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n"
#define CLEAR_EVEX(n) "vpxorq %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n"
#define NAME(n)       "xmm" #n,
#define ERASE         __asm__ volatile(LOW(CLEAR_SSE)::: LOW(NAME) "memory")
#else
#define CLEAR_NEON(n) "movi v" #n ".2d, #0\n"
#define NAME(n)       "v" #n,
#define ERASE         __asm__ volatile(LOW(CLEAR_NEON) HIGH(CLEAR_NEON)::: LOW(NAME) HIGH(NAME) "memory")
#endif

#define ROTATE_BY_SHIFTS(v, by) ((v) << (by) | (v) >> (32 - (by)))

// SSE2, NEON
#define WIDE(name) name##_4
#define LANES      4
#define TARGET
#define ROTATE    ROTATE_BY_SHIFTS
#define TURN1(v)  __builtin_shufflevector(v, v, 1, 2, 3, 0)
#define TURN2(v)  __builtin_shufflevector(v, v, 2, 3, 0, 1)
#define TURN3(v)  __builtin_shufflevector(v, v, 3, 0, 1, 2)
#define SPREAD(q) (q)
#include "chacha_wide.h"

#if defined(__x86_64__)

// Writing 128 bits clears the rest of the register.
#undef ERASE
#define ERASE __asm__ volatile(LOW(CLEAR_AVX)::: LOW(NAME) "memory")

// Whole bytes are moved by one shuffle, where there is no rotation.
#define BYTES(a, b, c, d)                                                                          \
    _mm256_broadcastsi128_si256(_mm_setr_epi8(a, b, c, d, (a) + 4, (b) + 4, (c) + 4, (d) + 4,      \
                                              (a) + 8, (b) + 8, (c) + 8, (d) + 8, (a) + 12,        \
                                              (b) + 12, (c) + 12, (d) + 12))
#define ROTATE_BY_BYTES(v, by)                                                                     \
    ((by) == 16  ? (__typeof__(v))_mm256_shuffle_epi8((__m256i)(v), BYTES(2, 3, 0, 1))             \
     : (by) == 8 ? (__typeof__(v))_mm256_shuffle_epi8((__m256i)(v), BYTES(3, 0, 1, 2))             \
                 : ROTATE_BY_SHIFTS(v, by))

#define TURN1_OF_8(v) __builtin_shufflevector(v, v, 1, 2, 3, 0, 5, 6, 7, 4)
#define TURN2_OF_8(v) __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5)
#define TURN3_OF_8(v) __builtin_shufflevector(v, v, 3, 0, 1, 2, 7, 4, 5, 6)
// Not as a shuffle: compilers would build it on the stack.
#define SPREAD_TO_8(q) _mm256_broadcastsi128_si256((__m128i)(q))

#define WIDE(name) name##_avx2
#define LANES      8
#define TARGET     __attribute__((target("avx2")))
#define ROTATE     ROTATE_BY_BYTES
#define TURN1      TURN1_OF_8
#define TURN2      TURN2_OF_8
#define TURN3      TURN3_OF_8
#define SPREAD     SPREAD_TO_8
#include "chacha_wide.h"

#undef ERASE
#define ERASE __asm__ volatile(LOW(CLEAR_AVX) HIGH(CLEAR_EVEX)::: LOW(NAME) HIGH(NAME) "memory")

// The rotation instruction, and twice the registers.
#define WIDE(name) name##_avx512vl
#define LANES      8
#define TARGET     __attribute__((target("avx2,avx512f,avx512vl")))
#define ROTATE     ROTATE_BY_SHIFTS
#define TURN1      TURN1_OF_8
#define TURN2      TURN2_OF_8
#define TURN3      TURN3_OF_8
#define SPREAD     SPREAD_TO_8
#include "chacha_wide.h"

#define WIDE(name) name##_avx512
#define LANES      16
#define TARGET     __attribute__((target("avx2,avx512f,avx512vl")))
#define ROTATE     ROTATE_BY_SHIFTS
#define TURN1(v)   __builtin_shufflevector(v, v, 1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12)
#define TURN2(v)   __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)
#define TURN3(v)   __builtin_shufflevector(v, v, 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14)
#define SPREAD(q)  _mm512_broadcast_i32x4((__m128i)(q))
#include "chacha_wide.h"

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

static bool has_avx512vl(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
}

// The first CPUs with AVX-512 lower their clock, and so slow down all that the program does, for
// 512-bit registers. Those that have VBMI2 are younger.
static bool has_cheap_avx512(void)
{
    return has_avx512vl() && __builtin_cpu_supports("avx512vbmi2");
}

#endif

static bool always(void)
{
    return true;
}

const struct uc_chacha_width uc_chacha_widths[] = {
#if defined(__x86_64__)
    {"AVX-512 with VBMI2", has_cheap_avx512, batches_avx512, few_avx512, 16, false},
    {"AVX-512VL", has_avx512vl, batches_avx512vl, few_avx512vl, 8, false},
    {"AVX2", has_avx2, batches_avx2, few_avx2, 8, true},
#endif
    {"", always, batches_4, few_4, 4, true},
    {"", always, uc_chacha_scalar_batches, uc_chacha_scalar_few, 1, false},
};
const size_t uc_chacha_width_count = uc_countof(uc_chacha_widths);
