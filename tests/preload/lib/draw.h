// SPDX-License-Identifier: MIT
// The five random functions under one signature, "fill exactly this much", so that a claim can be
// made of each. It must not hide an error: what may not fail and does ends the test. Where a fault
// has the kernel refuse getrandom(), getrandom() and getentropy() have to hand on that very error,
// and arc4random_buf(), which cannot fail, draws in their place.
#ifndef DRAW_H
#define DRAW_H

#include "check.h"
#include <sys/random.h>
#include <sys/syscall.h>

// Weak: glibc has them since 2.36.
#pragma weak arc4random
#pragma weak arc4random_buf
#pragma weak arc4random_uniform
uint32_t arc4random(void);
void arc4random_buf(void *to, size_t bytes);
uint32_t arc4random_uniform(uint32_t bound);

enum draw_function {
    DRAW_GETRANDOM,
    DRAW_GETENTROPY,
    DRAW_ARC4RANDOM,
    DRAW_ARC4RANDOM_BUF,
    DRAW_ARC4RANDOM_UNIFORM,
    DRAW_FUNCTIONS
};

static const char *const draw_names[DRAW_FUNCTIONS] = {
    "getrandom", "getentropy", "arc4random", "arc4random_buf", "arc4random_uniform",
};

static inline int draw_has(enum draw_function function)
{
    switch (function) {
    case DRAW_ARC4RANDOM:
        return arc4random != NULL;
    case DRAW_ARC4RANDOM_BUF:
        return arc4random_buf != NULL;
    case DRAW_ARC4RANDOM_UNIFORM:
        return arc4random_uniform != NULL;
    default:
        return 1;
    }
}

// What the kernel answers instead of serving, 0 when it serves. always: from before the first draw
// on. Otherwise only the main thread was seeded; what it holds may last, or not.
static struct {
    int error;
    int always;
} draw_refusal;

__attribute__((constructor, unused)) static void draw_ask_the_kernel(void)
{
    const char *preloads = getenv("LD_PRELOAD");
    int saved = errno;
    char byte;

    if (syscall(SYS_getrandom, &byte, 1, GRND_NONBLOCK) == 1)
        return;
    if (!preloads || !strstr(preloads, "/getrandom-"))
        FAIL("no fault, yet the kernel refuses: %s", strerror(errno));
    draw_refusal.error = errno;
    draw_refusal.always = strstr(preloads, "/getrandom-later.so") == NULL;
    errno = saved;
}

// A count, as check_count() has it; a fifth where a draw may be six system calls on a device.
static inline long draw_count(long usual, long in_long_form)
{
    long count = check_count(usual, in_long_form);

    return draw_refusal.error ? (count + 4) / 5 : count;
}

// True when a call that failed was refused as it should be.
static inline int draw_was_refused(void)
{
    return draw_refusal.error && errno == draw_refusal.error;
}

static inline void draw_check_served(const char *function)
{
    CHECK(!draw_refusal.always, "%s served without the kernel", function);
}

// A long getrandom() may come back short or with EINTR when a signal arrived: go on.
static inline void draw_getrandom(uint8_t *to, size_t bytes)
{
    while (bytes > 0) {
        ssize_t got = getrandom(to, bytes, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && draw_was_refused()) {
            arc4random_buf(to, bytes);
            return;
        }
        CHECK(got > 0 && (size_t)got <= bytes, "getrandom(%zu): %zd, %s", bytes, got,
              strerror(errno));
        draw_check_served("getrandom");
        to += got;
        bytes -= (size_t)got;
    }
}

static inline void draw_getentropy(uint8_t *to, size_t bytes)
{
    while (bytes > 0) {
        size_t part = bytes < 256 ? bytes : 256;

        if (getentropy(to, part) == 0)
            draw_check_served("getentropy");
        else if (draw_was_refused())
            arc4random_buf(to, part);
        else
            FAIL("getentropy(%zu): %s", part, strerror(errno));
        to += part;
        bytes -= part;
    }
}

// A bound of 2^32 - 1 leaves all but one value of a word, so the words are as good as whole ones.
static inline void draw_words(int uniform, uint8_t *to, size_t bytes)
{
    while (bytes > 0) {
        uint32_t word = uniform ? arc4random_uniform(UINT32_MAX) : arc4random();
        size_t part = bytes < sizeof(word) ? bytes : sizeof(word);

        memcpy(to, &word, part);
        to += part;
        bytes -= part;
    }
}

// Fill to[0..bytes). Where the C library lacks the function, getrandom() stands in.
static inline void draw(enum draw_function function, void *to, size_t bytes)
{
    uint8_t *at = (uint8_t *)to;

    if (!draw_has(function))
        function = DRAW_GETRANDOM;
    switch (function) {
    case DRAW_GETENTROPY:
        draw_getentropy(at, bytes);
        break;
    case DRAW_ARC4RANDOM:
    case DRAW_ARC4RANDOM_UNIFORM:
        draw_words(function == DRAW_ARC4RANDOM_UNIFORM, at, bytes);
        break;
    case DRAW_ARC4RANDOM_BUF:
        arc4random_buf(at, bytes);
        break;
    default:
        draw_getrandom(at, bytes);
    }
}

// One taste of everything: each function in turn, short and odd sizes, DRAW_TASTE bytes in all.
enum { DRAW_TASTE = 512 };

static inline void draw_taste(uint8_t to[DRAW_TASTE])
{
    static const size_t sizes[] = {32, 16, 7, 48, 1, 33, 11};
    size_t used = 0;

    for (unsigned i = 0; used < DRAW_TASTE; i++) {
        size_t size = sizes[i % (sizeof(sizes) / sizeof(sizes[0]))];

        size = size < DRAW_TASTE - used ? size : DRAW_TASTE - used;
        draw((enum draw_function)(i % DRAW_FUNCTIONS), to + used, size);
        used += size;
    }
}

#endif
