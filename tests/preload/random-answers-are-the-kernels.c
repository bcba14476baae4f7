// SPDX-License-Identifier: MIT
// Return value and errno of each function for every combination of flags and lengths at the edges,
// printed; the runner compares with a run without the preload. The buffer is 2 GiB long at times,
// and yet a megabyte: the same pages, mapped again and again. Where getrandom() is forbidden after
// a draw, a generator that has a key may serve what the kernel would have served; it must refuse
// the rest as the kernel does. glibc's own arc4random ends the program then, or changes errno: not
// ours.
// claim: for any flags, length and low pointer the answers are those of libc and the kernel
// matrix: random
// compare
#include "lib/draw.h"
#include "lib/file_to_map.h"
#include <limits.h>

enum { UNTOUCHED = 4711, PIECE = 1 << 20 };

static const size_t lengths[] = {
    0,   1,   2,   3,   4,   15,   16,   31,   32,    33,    63,    64,       65,       255,
    256, 257, 511, 512, 513, 1023, 4095, 4096, 65535, 65536, 65537, 33554431, 33554432, 33554433};
static const uintptr_t wild[] = {0, 1, 8, 4095};

// `pieces` megabytes of addresses.
static void *long_buffer(size_t pieces)
{
    int fd = file_to_map(O_CLOEXEC);
    char *at =
        mmap(NULL, pieces * PIECE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    CHECK(at != MAP_FAILED, "mmap: %s", strerror(errno));
    CHECK_CALL(ftruncate(fd, PIECE));
    for (size_t i = 0; i < pieces; i++)
        CHECK(mmap(at + i * PIECE, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) !=
                  MAP_FAILED,
              "mmap: %s", strerror(errno));
    CHECK_CALL(close(fd));
    return at;
}

// Served with a key from before getrandom() was forbidden: told as what the kernel says now.
static long as_refused(long got, long served)
{
    if (!draw_refusal.error || draw_refusal.always || got != served)
        return got;
    CHECK_IS(errno, UNTOUCHED);
    errno = draw_refusal.error;
    return -1;
}

static void tell_getrandom(const char *where, void *to, size_t length, unsigned flags)
{
    int valid = (uintptr_t)to >= 4096 && flags < 6;
    ssize_t got;

    errno = UNTOUCHED;
    got = getrandom(to, length, flags);
    if (valid)
        got = as_refused(got, (long)length);
    printf("getrandom(%s, %zu, %#x) = %zd, errno %d\n", where, length, flags, got, errno);
}

// Not inlined: compilers refuse the lengths that the kernel does.
static __attribute__((noinline)) void tell_getentropy(const char *where, void *to, size_t length)
{
    int got;

    errno = UNTOUCHED;
    got = getentropy(to, length);
    if ((uintptr_t)to >= 4096 && length > 0 && length <= 256)
        got = (int)as_refused(got, 0);
    printf("getentropy(%s, %zu) = %d, errno %d\n", where, length, got, errno);
}

static void use_arc4random(void *to)
{
    const uint32_t bounds[] = {2, 3, 100, 1U << 31, (1U << 31) + 1, UINT32_MAX};

    errno = UNTOUCHED;
    CHECK_IS(arc4random_uniform(0), 0);
    CHECK_IS(arc4random_uniform(1), 0);
    for (int i = 0; i < 6; i++)
        for (int times = 0; times < 1000; times++)
            CHECK(arc4random_uniform(bounds[i]) < bounds[i], "bound %u", bounds[i]);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
        arc4random_buf(to, lengths[i]);
    arc4random();
}

static void tell_arc4random(void *to)
{
    if (!draw_has(DRAW_ARC4RANDOM_UNIFORM))
        return;
    if (draw_refusal.error && !strstr(getenv("LD_PRELOAD"), "/libuncontend.so"))
        errno = UNTOUCHED;
    else
        use_arc4random(to);
    printf("errno after arc4random functions: %d\n", errno);
}

static void tell_all(void *to)
{
    static const unsigned odd_flags[] = {0x10, 0x80, 0x100, 0x8000, 0x10000, 0x80000000, UINT_MAX};

    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        // Long ones only with the flags that are taken; each costs the kernel a tenth of a second.
        for (unsigned flags = 0; flags < (lengths[i] > 100000 ? 1 : 16); flags++)
            tell_getrandom("buffer", to, lengths[i], flags);
        tell_getentropy("buffer", to, lengths[i]);
    }
    for (size_t i = 0; i < sizeof(odd_flags) / sizeof(odd_flags[0]); i++)
        for (size_t length = 0; length < 2; length++)
            tell_getrandom("buffer", to, length, odd_flags[i]);
    for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
        char name[20];

        snprintf(name, sizeof(name), "%#zx", (size_t)wild[i]);
        for (size_t length = 0; length < 20; length++)
            for (unsigned flags = 0; flags < 9; flags++)
                tell_getrandom(name, (void *)wild[i], length * length * 7, flags);
        for (size_t length = 0; length < 3; length++)
            tell_getentropy(name, (void *)wild[i], length * 200);
    }
    tell_getentropy("buffer", to, SIZE_MAX);
    tell_getentropy("buffer", to, INT_MAX);
    tell_arc4random(to);
}

int main(void)
{
    check_deadline(25);
    // As the first draw of all, and again.
    tell_getrandom("0", NULL, 1, 0);
    tell_getrandom("0", NULL, 0, 0);
    tell_all(long_buffer(40));
    if (check_long()) {
        void *huge = long_buffer(2049);

        tell_getrandom("huge", huge, (size_t)INT_MAX - 4096, 0);
        tell_getrandom("huge", huge, INT_MAX, 0);
        tell_getrandom("huge", huge, (size_t)INT_MAX + 5, 0);
        tell_getrandom("huge", huge, SIZE_MAX, 0);
    }
    return CHECK_PASS;
}
