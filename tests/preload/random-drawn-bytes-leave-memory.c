// SPDX-License-Identifier: MIT
// What a core dump, or a bug that reads memory, would show. A child draws into a page that it
// shares with us, gives the page up and waits; then all its memory is searched: for the bytes, also
// in the order in which a buffer holds what was handed out of it from its end, and for a key from
// which ChaCha20 makes them, in either order of words that chacha.h of the library gives them, at
// every fourth byte of all that can be written to. That a key would be found is tried out where one
// can be had: the drbg's present key, and what is drawn after it.
// claim: bytes that were drawn, and keys that could make them again, are not left in memory
// matrix: random
// run: UNCONTEND_RANDOM=drbg UNCONTEND_TEST_LANES=8
// run: UNCONTEND_RANDOM=drbg UNCONTEND_TEST_LANES=4
// run: UNCONTEND_RANDOM=vdso UNCONTEND_TEST_LANES=4
// run: UNCONTEND_RANDOM=drbg UNCONTEND_TEST_LANES=1
// link: -Wl,-z,now
#include "lib/chacha.h"
#include "lib/draw.h"
#include "lib/maps.h"
#include <stdbool.h>
#include <sys/prctl.h>

enum {
    SIZES = 7,
    MOST = 5000,
    STORE = SIZES * DRAW_FUNCTIONS * MOST,
    PAGE = 4096,
    KEPT = 28, // one less than a key, in steps of four
    BATCH = 1024,
    FEW = 256,
};

// Drawn in this order and in the other: what comes last is what a buffer, or the stack, may still
// hold. All are whole words, so that a buffer of them is read in whole words.
static const size_t sizes[SIZES] = {MOST, 1000, 256, 100, 32, 16, 64};
// The last is drawn by as many bytes at once, a different count with each function.
enum { IN_PIECES = SIZES - 1 };
static const size_t pieces[DRAW_FUNCTIONS] = {1, 2, 4, 8, 4};

struct loot {
    uint8_t drawn[STORE];
};

static struct {
    uint8_t bytes[16];
    int size, function;
} needles[4096];
static unsigned needle_count;
static uint16_t first_needle[65536]; // index + 1 by the first two bytes; 0: none
static uint16_t next_needle[4096];
static size_t searched;

static uint8_t *place(struct loot *loot, int size, int function)
{
    return loot->drawn + (size_t)(size * DRAW_FUNCTIONS + function) * MOST;
}

static void draw_size(struct loot *loot, int size, int backwards)
{
    for (int i = 0; i < DRAW_FUNCTIONS; i++) {
        int function = backwards ? DRAW_FUNCTIONS - 1 - i : i;
        uint8_t *to = place(loot, size, function);

        if (size < 2 && function != DRAW_GETRANDOM && function != DRAW_ARC4RANDOM_BUF)
            continue;
        for (size_t at = 0; size == IN_PIECES && at < sizes[size]; at += pieces[function])
            draw((enum draw_function)function, to + at, pieces[function]);
        if (size != IN_PIECES)
            draw((enum draw_function)function, to, sizes[size]);
    }
}

enum { IN_THREAD = 1, SIZES_BACKWARDS = 2, FUNCTIONS_BACKWARDS = 4, SCENES = 8 };

__attribute__((noinline)) static void draw_all(struct loot *loot, int scene)
{
    for (int i = 0; i < SIZES; i++)
        draw_size(loot, scene & SIZES_BACKWARDS ? SIZES - 1 - i : i, scene & FUNCTIONS_BACKWARDS);
}

struct scene {
    int ends[2];
    struct loot *loot;
    int number; // IN_THREAD: one that has ended before anybody looks
};

static void *draw_in_thread(void *arg)
{
    const struct scene *scene = arg;

    draw_all(scene->loot, scene->number);
    return NULL;
}

static int child(void *arg)
{
    struct scene *scene = arg;
    char byte = 0;

    CHECK_CALL(prctl(PR_SET_PDEATHSIG, SIGKILL));
    if (scene->number & IN_THREAD)
        check_join(check_thread(draw_in_thread, scene));
    else
        draw_all(scene->loot, scene->number);
    CHECK_CALL(munmap(scene->loot, sizeof(*scene->loot)));
    check_write(scene->ends[1], &byte, 1);
    pause();
    return CHECK_PASS;
}

static void add_needle(const uint8_t *bytes, int size, int function)
{
    unsigned start = bytes[0] | (unsigned)bytes[1] << 8, n = needle_count;

    if (bytes[0] == 0 && memcmp(bytes, bytes + 1, 15) == 0)
        return; // not drawn
    CHECK(n < 4095, "too many needles");
    memcpy(needles[n].bytes, bytes, 16);
    needles[n].size = (int)sizes[size];
    needles[n].function = function;
    next_needle[n] = first_needle[start];
    first_needle[start] = (uint16_t)++needle_count;
}

// As a buffer holds pieces that were handed out from its end.
static void add_reversed(const uint8_t *bytes, size_t piece, int size, int function)
{
    uint8_t reversed[16];

    for (size_t at = 0; at < 16; at += piece)
        memcpy(reversed + at, bytes + 16 - piece - at, piece);
    add_needle(reversed, size, function);
}

static void add_needles(struct loot *loot)
{
    for (int size = 0; size < SIZES; size++)
        for (int function = 0; function < DRAW_FUNCTIONS; function++)
            for (size_t at = 0; at + 16 <= sizes[size]; at += 16) {
                const uint8_t *bytes = place(loot, size, function) + at;

                add_needle(bytes, size, function);
                if (size == IN_PIECES)
                    add_reversed(bytes, pieces[function], size, function);
                else if (function == DRAW_ARC4RANDOM || function == DRAW_ARC4RANDOM_UNIFORM)
                    add_reversed(bytes, 4, size, function);
            }
}

static int is_needle(const uint8_t *bytes)
{
    for (unsigned n = first_needle[bytes[0] | (unsigned)bytes[1] << 8]; n; n = next_needle[n - 1])
        if (memcmp(needles[n - 1].bytes, bytes, 16) == 0)
            return (int)n;
    return 0;
}

static void search_bytes(const uint8_t *memory, size_t bytes, const struct maps_entry *entry,
                         uintptr_t from)
{
    searched += bytes;
    for (size_t i = 0; i + 16 <= bytes; i++) {
        int n = is_needle(memory + i);

        CHECK(n == 0, "16 bytes of %s(%d) lie at %lx, in %s", draw_names[needles[n - 1].function],
              needles[n - 1].size, from + i, entry->name[0] ? entry->name : "memory");
    }
}

static int diverse(const uint8_t *key)
{
    unsigned zeros = 0;

    for (int i = 0; i < 32; i++)
        zeros += key[i] == 0;
    return zeros < 4; // a random key has as many once in 10,000 times
}

// What a key makes: a batch of 16 blocks in the order word by word, and four blocks, row by row.
static void make(const uint8_t key[32], uint8_t batch[BATCH], uint8_t few[FEW])
{
    for (uint32_t block = 0; block < BATCH / 64; block++) {
        const uint32_t tail[4] = {block, 0, 0, 0};
        uint8_t made[64];

        chacha_block(key, tail, made);
        for (size_t word = 0; word < 16; word++)
            memcpy(batch + word * 64 + block * (size_t)4, made + word * 4, 4);
        for (size_t row = 0; row < 4 && block < 4; row++)
            memcpy(few + row * 64 + block * (size_t)16, made + row * 16, 16);
    }
}

static int needle_in(const uint8_t *made, size_t bytes)
{
    for (size_t at = 0; at + 16 <= bytes; at += 4) {
        int n = is_needle(made + at);

        if (n)
            return n;
    }
    return 0;
}

static int needle_of_key(const uint8_t key[32])
{
    uint8_t batch[BATCH], few[FEW];
    int n;

    make(key, batch, few);
    n = needle_in(batch, sizeof(batch));
    return n ? n : needle_in(few, sizeof(few));
}

// The key to what comes next is to be there, and is looked for.
static struct {
    bool wanted, found;
} live_key;

static void search_keys(const uint8_t *memory, size_t bytes, const struct maps_entry *entry,
                        uintptr_t from)
{
    for (size_t i = 0; i + 32 <= bytes; i += 4) {
        int n = diverse(memory + i) ? needle_of_key(memory + i) : 0;

        live_key.found |= n != 0;
        CHECK(n == 0 || live_key.wanted, "a key at %lx in %s makes %s(%d)", from + i,
              entry->name[0] ? entry->name : "memory", draw_names[needles[n - 1].function],
              needles[n - 1].size);
    }
}

static struct {
    int memory, pagemap;
} victim;

// Pages that were never touched would be made by looking at them, and there may be gigabytes.
static int is_present(uintptr_t page)
{
    uint64_t told = 0;

    CHECK(pread(victim.pagemap, &told, 8, (off_t)(page / PAGE * 8)) == 8, "pagemap: %s",
          strerror(errno));
    return told >> 62 != 0;
}

// What lies across the border of two pages is found by keeping the end of the last one.
static void search(const struct maps_entry *entry, void *unused)
{
    static uint8_t memory[KEPT + PAGE];
    size_t kept = 0;

    (void)unused;
    if (entry->rights[0] != 'r' || strncmp(entry->name, "[v", 2) == 0)
        return;
    for (uintptr_t page = entry->from; page < entry->to; page += PAGE) {
        uint8_t *start = memory + KEPT - kept;

        if (!is_present(page) || pread(victim.memory, memory + KEPT, PAGE, (off_t)page) != PAGE) {
            kept = 0;
            continue;
        }
        if (!live_key.wanted) // beside it lies what is drawn next
            search_bytes(start, kept + PAGE, entry, page - kept);
        if (entry->rights[1] == 'w')
            search_keys(start, kept + PAGE, entry, page - kept);
        memcpy(memory, memory + PAGE, KEPT);
        kept = KEPT;
    }
}

static int open_victim(pid_t pid, const char *what)
{
    char path[40];
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        SKIP("%s: %s", path, strerror(errno));
    return fd;
}

static void search_process(pid_t pid)
{
    victim.memory = open_victim(pid, "mem");
    victim.pagemap = open_victim(pid, "pagemap");
    maps_visit(pid, 0, search, NULL);
    CHECK_CALL(kill(pid, SIGKILL));
    CHECK_IS(check_collect(pid), -SIGKILL);
}

static int judge(void *number)
{
    struct scene scene = {.loot = check_shared(sizeof(*scene.loot)), .number = *(int *)number};
    char byte;
    pid_t pid;

    CHECK_CALL(pipe(scene.ends));
    pid = check_child(child, &scene);
    CHECK_CALL(close(scene.ends[1]));
    CHECK(check_read(scene.ends[0], &byte, 1) == 1, "the child ended early");
    add_needles(scene.loot);
    CHECK(needle_count > 500, "only %u needles", needle_count);
    search_process(pid);
    CHECK(searched > 100000, "only %zu bytes could be read", searched);
    return CHECK_PASS;
}

static int stay_as_it_is(void *unused)
{
    CHECK_CALL(prctl(PR_SET_PDEATHSIG, SIGKILL));
    pause();
    return unused == NULL;
}

// An emulator takes any advice and does nothing: no page tells that it is wiped in a child, and
// none is, so that a child is a copy of all there is.
static bool no_page_is_wiped(void)
{
    static uint8_t page[PAGE] __attribute__((aligned(PAGE)));

    return madvise(page, PAGE, -1) == 0;
}

static bool page_holds_key(const uint8_t state[PAGE])
{
    for (size_t i = 0; i + 32 <= PAGE; i += 4)
        if (diverse(state + i) && needle_of_key(state + i))
            return true;
    return false;
}

// The key that lies in the buffer now has to be found by what it makes.
static int find_live_key(void *unused)
{
    static uint8_t state[PAGE], drawn[3 * 1000];
    static struct maps_wiped wiped;
    pid_t copy = 0;

    draw(DRAW_GETRANDOM, drawn, 16);
    maps_find_wiped(&wiped);
    CHECK(wiped.count > 0 || no_page_is_wiped(), "no pages of state");
    if (wiped.count > 0)
        memcpy(state, (const void *)wiped.range[0].from, PAGE);
    else
        copy = check_child(stay_as_it_is, unused);
    for (size_t at = 0; at < sizeof(drawn); at += 1000)
        draw(DRAW_GETRANDOM, drawn + at, 1000);
    for (size_t at = 0; at + 16 <= sizeof(drawn); at += 16)
        add_needle(drawn + at, 1, DRAW_GETRANDOM);
    if (copy) {
        live_key.wanted = true;
        search_process(copy);
    }
    CHECK(live_key.found || page_holds_key(state),
          "the key in the buffer was not found: chacha.h orders words in another way now");
    return CHECK_PASS;
}

static int has_buffer(void)
{
    const char *engine = getenv("UNCONTEND_RANDOM"), *preloads = getenv("LD_PRELOAD");

    return preloads && !strstr(preloads, "/wipe-") && !draw_refusal.error && engine &&
           strcmp(engine, "drbg") == 0;
}

int main(void)
{
    check_deadline(25);
    if (has_buffer())
        CHECK_IS(check_in_child(find_live_key, NULL), CHECK_PASS);
    for (int scene = 0; scene < SCENES; scene++) {
        int status = check_in_child(judge, &scene);

        if (status != CHECK_PASS)
            return status == CHECK_SKIPPED ? CHECK_SKIPPED : CHECK_FAILED;
    }
    return CHECK_PASS;
}
