// SPDX-License-Identifier: MIT
// Owns seeding, refilling and long requests. Everything that is on its way to the caller is checked
// against one question at the end: has the slot been wiped since? Then all of it may exist a second
// time, in the parent of this process, and is made anew.
#include "drbg.h"

#include <errno.h>
#include <sys/random.h>

#include "chacha.h"
#include "libc.h"
#include "say.h"
#include "sys.h"

#include "poison.h"

enum {
    LONG = UC_CHACHA_BATCH, // from here on straight into the caller's memory
    CHUNK = 64 * 1024,      // under one key
    PATIENCE = 16,          // wipes in one draw
};

_Static_assert((int)UC_SLOT_KEY == UC_CHACHA_KEY, "the slot begins with a key");
_Static_assert((int)UC_SLOT_STREAM == UC_CHACHA_BATCH, "a refill is one batch");

static struct {
    uint64_t bytes;
    uint64_t seconds;
} reseed = {1 << 20, 0};

void uc_drbg_start(uint64_t reseed_bytes, uint64_t reseed_seconds)
{
    reseed.bytes = reseed_bytes;
    reseed.seconds = reseed_seconds;
}

// Looked at in every refill. When somebody sets the clock back, the difference to seeded_at is
// huge, and a fresh seed is drawn.
static uint64_t seconds_now(void)
{
    return reseed.seconds ? uc_libc_seconds() : 0;
}

static long seed_bytes(struct uc_thread *t, void *to, unsigned flags)
{
    long r = uc_sys_getrandom(to, UC_CHACHA_KEY, flags | GRND_NONBLOCK);
    if (r == -EAGAIN && !(flags & GRND_NONBLOCK)) {
        static _Atomic(bool) said;
        uc_stat_add(t, UC_STAT_RANDOM_WAITED, 1);
        if (!atomic_exchange_explicit(&said, true, memory_order_relaxed))
            uc_say_verbose("%s, thread %d, is the first to wait for the kernel's random pool",
                           uncontend_root.program, uc_sys_gettid());
        r = uc_sys_getrandom(to, UC_CHACHA_KEY, flags);
    }
    return r;
}

// The key goes from the kernel into the slot and nowhere else. Going from SEEDING to SEEDED in one
// step is what a fork cannot come in between: the child's slot says EMPTY, whatever it was.
static int seed(struct uc_slot *s, struct uc_thread *t, unsigned flags)
{
    uint32_t life = UC_SLOT_SEEDING;
    uc_thread_notice_fork();
    s->left = 0;
    s->drawn = 0;
    s->seeded_at = seconds_now();
    atomic_store_explicit(&s->life, UC_SLOT_SEEDING, memory_order_relaxed);
    uc_compiler_barrier();
    long r = seed_bytes(t, s->stream, flags);
    if (r != UC_CHACHA_KEY) {
        uc_slot_wipe(s);
        return r < 0 ? (int)r : -EIO;
    }
    // Acquire and release keep the key's writing and the first use on their sides of it.
    if (atomic_compare_exchange_strong_explicit(&s->life, &life, UC_SLOT_SEEDED,
                                                memory_order_acq_rel, memory_order_relaxed))
        uc_stat_add(t, UC_STAT_RANDOM_SEEDS, 1);
    return 0;
}

// Refused, in a sandbox: the present key is as good as it was. Asked again after as much more.
static void mix_fresh_seed(struct uc_slot *s, struct uc_thread *t, uint64_t now)
{
    uint8_t fresh[UC_CHACHA_KEY];
    if (seed_bytes(t, fresh, GRND_NONBLOCK) == sizeof fresh) {
        for (size_t i = 0; i < sizeof fresh; i++)
            s->stream[i] ^= fresh[i];
        uc_wipe(fresh, sizeof fresh);
        uc_stat_add(t, UC_STAT_RANDOM_RESEEDS, 1);
    } else {
        uc_stat_add(t, UC_STAT_RANDOM_REFUSED, 1);
    }
    s->drawn = 0;
    s->seeded_at = now;
}

static void refill(struct uc_slot *s, struct uc_thread *t)
{
    uint64_t now = seconds_now();
    if (uc_unlikely(s->drawn >= reseed.bytes || now - s->seeded_at > reseed.seconds))
        mix_fresh_seed(s, t, now);
    uc_chacha_expand(s->stream, s->stream, UC_SLOT_STREAM);
    s->drawn += UC_SLOT_OUTPUT;
    s->left = UC_SLOT_OUTPUT;
    uc_stat_add(t, UC_STAT_RANDOM_REFILLS, 1);
}

// A key out of the buffer, used once: what it makes need not pass through the slot.
static bool expand(struct uc_slot *s, uint8_t *out, size_t n)
{
    uint8_t key[UC_CHACHA_KEY];
    if (!uc_drbg_take(s, key, sizeof key))
        return false;
    uc_chacha_expand(key, out, n);
    uc_wipe(key, sizeof key);
    s->drawn += n;
    return true;
}

// As much as goes in one step: how many bytes; 0 when a refill or a seed must come first.
static size_t step(struct uc_slot *s, uint8_t *out, size_t n)
{
    if (n >= LONG) {
        size_t part = n < CHUNK ? n - n % LONG : CHUNK;
        return expand(s, out, part) ? part : 0;
    }
    size_t part = n < s->left ? n : s->left;
    return part > 0 && uc_drbg_take(s, out, part) ? part : 0;
}

int uc_drbg_draw(struct uc_slot *s, struct uc_thread *t, void *out, size_t n, unsigned flags)
{
    bool begun = false;
    for (int wipes = 0; wipes < PATIENCE; wipes++) {
        if (!uc_slot_is_whole(s)) {
            if (uc_slot_closed()) {
                uc_slot_wipe(s);
                return -ESTALE;
            }
            if (begun)
                uc_stat_add(t, UC_STAT_RANDOM_REDONE, 1);
            int r = seed(s, t, flags);
            if (r < 0)
                return r;
        }
        begun = true;
        size_t done = 0;
        while (done < n && uc_slot_is_whole(s)) {
            size_t part = step(s, (uint8_t *)out + done, n - done);
            if (!part)
                refill(s, t);
            done += part;
        }
        if (uc_slot_is_whole(s))
            return 0;
    }
    return -ESTALE;
}
