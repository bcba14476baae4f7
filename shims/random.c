// SPDX-License-Identifier: MIT
// Owns getrandom, getentropy and the arc4random family (the same names in glibc from 2.36 on and in
// libbsd): libc's conventions on one side, the draw of preload/random.h on the other.
#include <sys/random.h>
#include <unistd.h>

#include "random.h"
#include "real.h"
#include "sys.h"

enum { ENTROPY_MOST = 256 };

// Not in every libc's headers.
UC_EXPORT uint32_t arc4random(void);
UC_EXPORT void arc4random_buf(void *buf, size_t n);
UC_EXPORT uint32_t arc4random_uniform(uint32_t bound);

// Each shim is the drbg's quick draw alone, which needs no stack frame, and a jump: with the
// arguments as they came to the vDSO's, which jumps to the rest, else to the rest.
#define NEXT    static __attribute__((noinline))
#define IS_DRBG uc_likely(uc_random_engine == UC_ENGINE_DRBG)

NEXT ssize_t getrandom_else(void *buf, size_t n, unsigned flags)
{
    if (uc_random_quick_large(buf, n, flags, UC_STAT_GETRANDOM))
        return (ssize_t)n;
    long r = uc_random_draw(buf, n, flags, UC_STAT_GETRANDOM);
    if (r != UC_RANDOM_PASS)
        return uc_real_result(r);
    if (UC_REAL_READY(getrandom))
        return uc_real.getrandom(buf, n, flags);
    return uc_real_result(uc_sys_getrandom(buf, n, flags));
}

NEXT ssize_t getrandom_vdso(void *buf, size_t n, unsigned flags)
{
    long r;
    if (uc_likely(uc_random_quick_vdso(&r, buf, n, flags, UC_STAT_GETRANDOM, false)))
        return uc_real_result(r);
    return getrandom_else(buf, n, flags);
}

UC_EXPORT ssize_t getrandom(void *buf, size_t n, unsigned flags)
{
    if (!IS_DRBG)
        return getrandom_vdso(buf, n, flags);
    if (uc_likely(uc_random_quick(buf, n, flags, UC_STAT_GETRANDOM, false)))
        return (ssize_t)n;
    return getrandom_else(buf, n, flags);
}

NEXT int getentropy_else(void *buf, size_t n)
{
    if (n > ENTROPY_MOST)
        return (int)uc_real_result(-EIO);
    if (uc_random_quick_large(buf, n, 0, UC_STAT_GETENTROPY))
        return 0;
    for (size_t done = 0; done < n;) {
        long r = uc_random_draw((char *)buf + done, n - done, 0, UC_STAT_GETENTROPY);
        if (r == UC_RANDOM_PASS && UC_REAL_READY(getentropy))
            return uc_real.getentropy(buf, n);
        if (r < 0 && r != -EINTR)
            return (int)uc_real_result(r == UC_RANDOM_PASS ? -ENOSYS : r);
        done += r > 0 ? (size_t)r : 0;
    }
    return 0;
}

NEXT int getentropy_vdso(void *buf, size_t n)
{
    long r;
    if (uc_random_quick_vdso(&r, buf, n, 0, UC_STAT_GETENTROPY, false) && uc_likely(r == (long)n))
        return 0;
    return getentropy_else(buf, n);
}

UC_EXPORT int getentropy(void *buf, size_t n)
{
    if (!IS_DRBG)
        return getentropy_vdso(buf, n);
    if (uc_likely(uc_random_quick(buf, n, 0, UC_STAT_GETENTROPY, false)))
        return 0;
    return getentropy_else(buf, n);
}

// Cannot fail: when the engine stands aside and nobody behind us has the family, the kernel serves.
NEXT void fill_else(void *buf, size_t n, enum uc_stat who)
{
    if (uc_random_quick_large(buf, n, 0, who) || uc_random_fill(buf, n, who) == 0)
        return;
    if (UC_REAL_READY(arc4random_buf))
        uc_real.arc4random_buf(buf, n);
    else
        uc_random_fill_from_kernel(buf, n);
}

NEXT void fill_vdso(void *buf, size_t n)
{
    long r;
    if (uc_random_quick_vdso(&r, buf, n, 0, UC_STAT_ARC4RANDOM_BUF, false) &&
        uc_likely(r == (long)n))
        return;
    fill_else(buf, n, UC_STAT_ARC4RANDOM_BUF);
}

void arc4random_buf(void *buf, size_t n)
{
    if (!IS_DRBG)
        fill_vdso(buf, n);
    else if (uc_unlikely(!uc_random_quick(buf, n, 0, UC_STAT_ARC4RANDOM_BUF, false)))
        fill_else(buf, n, UC_STAT_ARC4RANDOM_BUF);
}

NEXT uint32_t word_else(enum uc_stat who)
{
    uint32_t word;
    fill_else(&word, sizeof word, who);
    return word;
}

// Its counter must be a constant, or finding it costs a tenth of the call.
static inline __attribute__((always_inline)) uint32_t word_vdso(enum uc_stat who)
{
    uint32_t word;
    long r;
    if (uc_likely(uc_random_quick_vdso(&r, &word, sizeof word, 0, who, true)) &&
        uc_likely(r == sizeof word))
        return word;
    return word_else(who);
}

NEXT uint32_t arc4random_vdso(void)
{
    return word_vdso(UC_STAT_ARC4RANDOM);
}

uint32_t arc4random(void)
{
    uint32_t word;
    if (uc_likely(uc_random_quick(&word, sizeof word, 0, UC_STAT_ARC4RANDOM, true)))
        return word;
    return arc4random_vdso();
}

NEXT uint32_t uniform_vdso(void)
{
    return word_vdso(UC_STAT_ARC4RANDOM_UNIFORM);
}

static inline uint32_t uniform_word(void)
{
    uint32_t word;
    if (uc_likely(uc_random_quick(&word, sizeof word, 0, UC_STAT_ARC4RANDOM_UNIFORM, true)))
        return word;
    return uniform_vdso();
}

// Not counted: part of a call that was.
NEXT uint32_t another_word(void)
{
    uint32_t word;
    if (uc_likely(uc_random_quick(&word, sizeof word, 0, UC_STAT_COUNT, true)))
        return word;
    return word_vdso(UC_STAT_COUNT);
}

// Results that fall under 2^32 mod bound would make the others rarer: drawn again.
NEXT uint32_t uniform_else(uint64_t product, uint32_t bound)
{
    uint32_t least = -bound % bound;
    while ((uint32_t)product < least)
        product = (uint64_t)another_word() * bound;
    return (uint32_t)(product >> 32);
}

// The high half of word * bound; the low half tells whether the word is one of those to refuse. A
// call counts once, however many words it takes.
uint32_t arc4random_uniform(uint32_t bound)
{
    uint64_t product = (uint64_t)uniform_word() * bound;
    if (uc_unlikely((uint32_t)product < bound))
        return uniform_else(product, bound);
    return (uint32_t)(product >> 32);
}
