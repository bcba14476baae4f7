// SPDX-License-Identifier: MIT
// The engines themselves under ThreadSanitizer: threads that come and go draw by one generator and
// read and write what locks protect, fast and through libc. Linked with the objects of preload/,
// all instrumented (tests/builds/run, the part sanitizers); libc's locks are reached through the
// sanitizer, which so knows what they order. Usage: engines drbg|vdso|system on|spin
//
// Not shown here, since by design plain memory is raced for there and looked at afterwards: the
// wiping of all slots at the end of a process, and a reader of other threads' counters.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "real.h"
#include "sys.h"

#include "rwlock.c" // its mode is set by hand: in a program of its own it would stand aside

enum { LOCKS = 5, THREADS = 6, WAVES = 12, ROUNDS = 3000, MOST = 3000 };

static struct guarded {
    pthread_rwlock_t lock;
    unsigned a, b; // equal, for whoever has the lock
} guarded[LOCKS];

static _Atomic(unsigned) written;

static const struct uc_wait plain = {.form = UC_FORM_PLAIN};
static const struct uc_wait try = {.form = UC_FORM_TRY};

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            dprintf(2, "engines.c:%d: expected: %s\n", __LINE__, #condition);                      \
            _Exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void draw(size_t n)
{
    static __thread uint8_t last[16];
    uint8_t out[MOST];
    if (!uc_random_quick(out, n, 0, UC_STAT_GETRANDOM, false)) {
        long r = uc_random_draw(out, n, 0, UC_STAT_GETRANDOM);
        if (r == UC_RANDOM_PASS)
            return;
        CHECK(r == (long)n);
    }
    if (n >= sizeof last) {
        CHECK(memcmp(last, out, sizeof last) != 0);
        memcpy(last, out, sizeof last);
    }
}

static void write_once(struct guarded *g, const struct uc_wait *wait)
{
    if (uc_rwlock_write(&g->lock, wait) != 0)
        return;
    g->a++;
    g->b++;
    atomic_fetch_add_explicit(&written, 1, memory_order_relaxed);
    CHECK(uc_rwlock_unlock(&g->lock) == 0);
}

static void read_once(struct guarded *g, const struct uc_wait *wait)
{
    if (uc_rwlock_read(&g->lock, wait) != 0)
        return;
    CHECK(g->a == g->b);
    if (g->a % 7 == 0 && uc_rwlock_read(&g->lock, &try) == 0) // once more: it is held
        CHECK(uc_rwlock_unlock(&g->lock) == 0);
    CHECK(uc_rwlock_unlock(&g->lock) == 0);
}

static void *work(void *seed)
{
    unsigned r = (unsigned)(uintptr_t)seed;
    for (unsigned i = 0; i < ROUNDS; i++) {
        r = r * 1664525 + 1013904223;
        struct guarded *g = &guarded[(r >> 8) % LOCKS];
        if (r >> 24 == 0)
            write_once(g, &plain);
        else if (r >> 24 == 1)
            write_once(g, &try);
        else
            read_once(g, r >> 24 < 16 ? &try : &plain);
        if (i % 4 == 0)
            draw(1 + (r >> 16) % (i % 64 == 0 ? MOST : 64));
    }
    return NULL;
}

static int number_of(const char *word, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return -1;
}

int main(int argc, char **argv)
{
    static const char *const generators[] = {"auto", "vdso", "drbg", "system", NULL};
    static const char *const ways[] = {"on", "spin", NULL};
    static struct uc_options options = {.reseed_bytes = 4096, .reseed_seconds = 60};
    struct uc_state random;
    pthread_t thread[THREADS];
    if (argc < 3)
        return 2;
    options.random = (unsigned)number_of(argv[1], generators);
    int way = number_of(argv[2], ways);
    CHECK(number_of(argv[1], generators) >= 0 && way >= 0);
    uncontend_root.pid = (uint32_t)uc_sys_getpid();
    uc_real_start();
    (void)uc_wipe_start();
    CHECK(uc_thread_start() == 0);
    uc_random_start(&options, &random);
    uc_wait_start();
    if (way == 0)
        (void)uc_bias_start(true);
    mode = way == 0 ? MODE_BIAS : MODE_SPIN;
    for (size_t i = 0; i < LOCKS; i++)
        CHECK(uc_rwlock_init(&guarded[i].lock, NULL) == 0);
    for (uintptr_t wave = 0; wave < WAVES; wave++) {
        for (uintptr_t i = 0; i < THREADS; i++)
            CHECK(pthread_create(&thread[i], NULL, work, (void *)(wave * THREADS + i + 1)) == 0);
        for (size_t i = 0; i < THREADS; i++)
            CHECK(pthread_join(thread[i], NULL) == 0);
    }
    uint64_t fast = 0;
    for (uint32_t i = 0; i < uc_thread_high(); i++)
        fast += uc_thread_at(i)->block.stat[UC_STAT_LOCK_READ_FAST];
    CHECK((fast > 1000) == (way == 0)); // what was to be seen was there
    CHECK(written > 100);
    dprintf(1, "%s, %u writes, %lu fast reads\n", random.name, written, (unsigned long)fast);
    return 0;
}
