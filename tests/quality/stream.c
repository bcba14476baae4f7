// SPDX-License-Identifier: MIT
// Writes what one random function gives to stdout, for whatever judges streams: stream NAME
// [BYTES], without end when no count is given; then says on stderr how many bytes were taken. NAME
// is a name of draw.h, or that of a generator that is broken on purpose, which shows that the judge
// can refuse. It must not buffer bytes that it reorders, and must not serve a random function that
// is not the preloaded library's.
#include "../preload/lib/draw.h"
#include <dlfcn.h>
#include <stdbool.h>

static uint8_t block[1 << 16];

// Draws of changing sizes, so that the stream crosses the ends of buffers in all positions.
static void fill_fair(enum draw_function function)
{
    static const size_t sizes[] = {16, 32, 4, 1, 256, 7, 48, 1350, 64, 8192, 13, 511};
    static unsigned turn;

    for (size_t used = 0; used < sizeof(block);) {
        size_t size = sizes[turn++ % (sizeof(sizes) / sizeof(sizes[0]))];

        size = size < sizeof(block) - used ? size : sizeof(block) - used;
        draw(function, block + used, size);
        used += size;
    }
}

// Fair but for one byte of each 64, as when a buffer is read one byte past what was filled.
static void fill_holes(void)
{
    fill_fair(DRAW_GETRANDOM);
    for (size_t i = 63; i < sizeof(block); i += 64)
        block[i] = 0;
}

// Fair but for eight bytes of each 256 that come twice, as when a refill keeps the old end.
static void fill_echo(void)
{
    fill_fair(DRAW_GETRANDOM);
    for (size_t i = 256; i < sizeof(block); i += 256)
        memcpy(block + i, block + i - 8, 8);
}

// All that a state of 32 bits can give: even bits and bytes, and a short period in the low bits.
static void fill_congruential(void)
{
    static uint32_t state = 1;

    for (size_t i = 0; i < sizeof(block); i += sizeof(state)) {
        state = state * 1664525 + 1013904223;
        memcpy(block + i, &state, sizeof(state));
    }
}

static const struct {
    const char *name;
    void (*fill)(void);
} broken[] = {
    {"holes", fill_holes},
    {"echo", fill_echo},
    {"congruential", fill_congruential},
};

static void check_served(const char *function)
{
    void *at = dlsym(RTLD_DEFAULT, function);
    Dl_info info;

    CHECK(at && dladdr(at, &info) && strstr(info.dli_fname, "libuncontend.so"),
          "%s is not the preloaded library's", function);
}

static bool was_taken(size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t wrote = write(STDOUT_FILENO, block + done, bytes - done);

        if (wrote < 0 && errno == EPIPE)
            return false;
        CHECK(wrote > 0 || errno == EINTR, "write: %s", strerror(errno));
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    uint64_t left = argc > 2 ? strtoull(argv[2], NULL, 10) : UINT64_MAX;
    unsigned long long taken = 0;
    int function = 0;
    size_t bad = 0;

    while (function < DRAW_FUNCTIONS && strcmp(name, draw_names[function]) != 0)
        function++;
    while (bad < sizeof(broken) / sizeof(broken[0]) && strcmp(name, broken[bad].name) != 0)
        bad++;
    if (function < DRAW_FUNCTIONS)
        check_served(name);
    else if (bad == sizeof(broken) / sizeof(broken[0]))
        FAIL("usage: stream NAME [BYTES]; no generator \"%s\"", name);
    signal(SIGPIPE, SIG_IGN);
    while (left > 0) {
        size_t part = left < sizeof(block) ? (size_t)left : sizeof(block);

        if (function < DRAW_FUNCTIONS)
            fill_fair((enum draw_function)function);
        else
            broken[bad].fill();
        if (!was_taken(part))
            break; // the judge ends when it has enough, and so does this
        left -= part;
        taken += part;
    }
    fprintf(stderr, "%llu bytes\n", taken);
    return CHECK_PASS;
}
