// SPDX-License-Identifier: MIT
// Owns the maps that states lie in, and the witness that tells whether a fork came in between.
#include "vgen.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "arena.h"
#include "chacha.h"
#include "say.h"
#include "slot.h"
#include "sys.h"
#include "vdso.h"
#include "wipe.h"

#ifndef GRND_INSECURE
#define GRND_INSECURE 0x0004
#endif

#include "poison.h"

#if defined(__x86_64__)
#define NAME "__vdso_getrandom"
#else
#define NAME "__kernel_getrandom"
#endif

enum {
    CHUNK = 64 * 1024, // under one key
    PATIENCE = 16,     // forks in one draw
};

struct uc_vgen uc_vgen;

// What the kernel answers when it is asked with the size ~0.
struct parameters {
    uint32_t size;
    uint32_t prot;
    uint32_t flags;
    uint32_t reserved[13];
};

static struct parameters kernel;

// In a wiped page: a generation that no relative of this process has had; 0 in a fork's child until
// somebody asks.
static _Atomic(uint64_t) *witness;
static _Atomic(uint64_t) generations;

static uint64_t look(void)
{
    uint64_t seen = atomic_load_explicit(witness, memory_order_acquire);
    if (uc_likely(seen != 0))
        return seen;
    uint64_t mine = 1 + atomic_fetch_add_explicit(&generations, 1, memory_order_relaxed);
    // Acquire and release: the generation stands before the key that is drawn under it.
    if (atomic_compare_exchange_strong_explicit(witness, &seen, mine, memory_order_acq_rel,
                                                memory_order_acquire))
        return mine;
    return seen;
}

static bool unchanged(uint64_t generation)
{
    // The bytes come before this look at the page, which is the kernel's to change.
    atomic_thread_fence(memory_order_acquire);
    return uc_likely(atomic_load_explicit(witness, memory_order_relaxed) == generation);
}

static void *map_states(size_t n)
{
    void *p = uc_sys_mmap(NULL, n, (int)kernel.prot, (int)kernel.flags, -1, 0, NULL);
    return p == MAP_FAILED ? NULL : p;
}

static struct uc_arena states = {.map = map_states};

int uc_vgen_start(void)
{
    uc_vgen_function *function =
        (uc_vgen_function *)(uintptr_t)uc_vdso_find((const void *)getauxval(AT_SYSINFO_EHDR), NAME);
    if (!function)
        return -ENOSYS;
    ssize_t r = function(NULL, 0, 0, &kernel, ~(size_t)0);
    if (r < 0)
        return (int)r;
    if (!kernel.size || kernel.size > UC_PAGE)
        return -EOVERFLOW;
    states.size = (kernel.size + UC_SLOT_ALIGNMENT - 1) / UC_SLOT_ALIGNMENT * UC_SLOT_ALIGNMENT;
    if (!uc_arena_at(&states, 0))
        return -ENOMEM;
    witness = uc_wipe_map(UC_PAGE);
    uc_vgen.state_size = kernel.size;
    uc_vgen.call = function;
    return 0;
}

bool uc_vgen_expands(void)
{
    return witness != NULL;
}

static long expand(void *state, uint8_t *out, size_t n, unsigned flags)
{
    uint8_t key[UC_CHACHA_KEY];
    long r = 0;
    for (size_t done = 0; done < n && r >= 0;) {
        size_t part = n - done < CHUNK ? n - done : CHUNK;
        r = uc_vgen.call(key, sizeof key, flags, state, uc_vgen.state_size);
        if (r == sizeof key)
            uc_chacha_expand(key, out + done, part);
        else if (r >= 0)
            r = -EIO;
        done += part;
    }
    uc_wipe(key, sizeof key);
    return r < 0 ? r : (long)n;
}

static long draw_long(struct uc_thread *t, void *state, void *out, size_t n, unsigned flags)
{
    for (int forks = 0; forks < PATIENCE; forks++) {
        uint64_t generation = look();
        long r = expand(state, out, n, flags);
        if (r < 0 || unchanged(generation))
            return r;
        // A handler forked and we are the child: the parent goes on with the same keys.
        uc_stat_add(t, UC_STAT_RANDOM_REDONE, 1);
    }
    return -ESTALE;
}

// A thread's first draw may find the kernel's pool not ready, and will wait if it may.
static void notice_waiting(struct uc_thread *t, void *state, unsigned flags)
{
    static _Atomic(bool) said;
    uint8_t byte;
    if ((flags & (GRND_NONBLOCK | GRND_INSECURE)) ||
        uc_vgen.call(&byte, 1, GRND_NONBLOCK, state, uc_vgen.state_size) != -EAGAIN)
        return;
    uc_stat_add(t, UC_STAT_RANDOM_WAITED, 1);
    if (!atomic_exchange_explicit(&said, true, memory_order_relaxed))
        uc_say_verbose("%s, thread %d, is the first to wait for the kernel's random pool",
                       uncontend_root.program, uc_sys_gettid());
}

long uc_vgen_draw(struct uc_thread *t, void *out, size_t n, unsigned flags)
{
    void *state = uc_tls.slot;
    if (uc_unlikely(!state)) {
        state = uc_arena_at(&states, t->index);
        if (!state)
            return -ENOMEM;
        notice_waiting(t, state, flags);
        uc_tls.slot = state;
    }
    if (n >= UC_VGEN_LONG && witness)
        return draw_long(t, state, out, n, flags);
    return uc_vgen.call(out, n, flags, state, uc_vgen.state_size);
}

void uc_vgen_wipe(uint32_t index)
{
    void *state = uc_arena_peek(&states, index);
    if (state)
        uc_wipe(state, uc_vgen.state_size);
}
