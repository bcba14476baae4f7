// SPDX-License-Identifier: MIT
// Owns which generator serves this process, and the draws that all shims are made of. The quick
// ones are inline: the whole cost of a small draw. They never wait or fail: what they do not do at
// once they leave to the slow one.
// Cost: with gcc 12 on x86-64 arc4random() from the drbg is 27 instructions, none of them atomic;
// the vdso engine's draw is the kernel's function and some twenty more. A thread's first draw takes
// a record, a slot and a seed.
#ifndef UC_RANDOM_H
#define UC_RANDOM_H

#include <sys/random.h>

#include "drbg.h"
#include "options.h"
#include "vgen.h"

enum uc_engine {
    UC_ENGINE_NONE, // before start-up, or never started
    UC_ENGINE_SYSTEM,
    UC_ENGINE_VDSO,
    UC_ENGINE_DRBG,
    UC_ENGINE_ENDED, // the process is ending: the kernel, and nothing of ours
};

// Hidden on the declaration: reached without a table that a relocation must fill first.
extern enum uc_engine uc_random_engine __attribute__((visibility("hidden")));

// Which opt-in functions are taken over: RAND_bytes and its family, syscall(SYS_getrandom, ...).
extern struct uc_random_also {
    bool rand_bytes;
    bool by_number;
} uc_random_also __attribute__((visibility("hidden")));

void uc_random_start(const struct uc_options *o, struct uc_state *state);
void uc_random_stop(void);
// Any time, also before the start: from now on libc's functions serve, for good. Draws that are
// going on in other threads come to their end.
void uc_random_give_up(const char *why);

// The original should answer: this engine, or this moment, is not ours.
enum { UC_RANDOM_PASS = -0x10000 };

// As getrandom(2): bytes, a negative errno, or UC_RANDOM_PASS. who: which counter of calls.
long uc_random_draw(void *out, size_t n, unsigned flags, enum uc_stat who);

// For callers that cannot fail: 0 with all n bytes, or UC_RANDOM_PASS. Asks the kernel, then
// /dev/urandom, and ends the process when there is neither.
int uc_random_fill(void *out, size_t n, enum uc_stat who);
// The same without generators, when there is no original either.
void uc_random_fill_from_kernel(void *out, size_t n);

// A pointer below is handed to the kernel, which refuses it; we would fault.
enum { UC_RANDOM_LOW = UC_PAGE };
// The kernel's own limit of one request.
enum { UC_RANDOM_MOST = 0x7ffff000 };
// What kernels before 5.18 give, which is what all give.
enum { UC_RANDOM_ALWAYS = 0x1ffffff };
// Flags from here on are unknown, or GRND_RANDOM with GRND_INSECURE: refused, but not by the vDSO.
enum { UC_RANDOM_ODD = 6 };

// The quick draws. uc_random_engine is looked at first, since nothing of ours may be touched before
// start-up. Whoever has a slot or a state has a record to count in. mine: out is a variable of the
// shim's own, which need not go through memory.
#define UC_RANDOM_QUICK static inline __attribute__((always_inline)) bool

UC_RANDOM_QUICK uc_random_is_sound(const void *out, bool mine)
{
    return mine || uc_likely((uintptr_t)out >= UC_RANDOM_LOW);
}

static inline void uc_random_count_quick(struct uc_thread *t, enum uc_stat who, size_t n)
{
    if (who < UC_STAT_COUNT)
        UC_COUNT(t->block.stat[who], 1);
    if (!uc_stat_is_word(who))
        UC_COUNT(t->block.stat[UC_STAT_RANDOM_BYTES], n);
}

// The drbg, in a size that needs no loop: true = n bytes. Inlined into every shim: leaf code
// without a stack frame, and a small constant n becomes a load and a store.
UC_RANDOM_QUICK uc_random_quick(void *out, size_t n, unsigned flags, enum uc_stat who, bool mine)
{
    if (uc_unlikely(n > UC_MOVE_SMALL || uc_random_engine != UC_ENGINE_DRBG))
        return false;
    struct uc_slot *s = uc_tls.slot;
    if (uc_unlikely(!s || (flags & ~(unsigned)GRND_NONBLOCK)) || !uc_random_is_sound(out, mine) ||
        !uc_tls_begin_draw())
        return false;
    bool ok = uc_drbg_take(s, out, n);
    uc_tls_end_draw();
    if (uc_likely(ok))
        uc_random_count_quick(uc_tls.thread, who, n);
    return uc_likely(ok);
}

// The vDSO: true = it was asked, and *answer is the kernel's: n, or a negative errno.
UC_RANDOM_QUICK uc_random_quick_vdso(long *answer, void *out, size_t n, unsigned flags,
                                     enum uc_stat who, bool mine)
{
    if (uc_unlikely(uc_random_engine != UC_ENGINE_VDSO))
        return false;
    void *state = uc_tls.slot;
    if (uc_unlikely(!state || n >= UC_VGEN_LONG || flags >= UC_RANDOM_ODD) ||
        !uc_random_is_sound(out, mine) || !uc_tls_begin_draw())
        return false;
    long r = uc_vgen.call(out, n, flags, state, uc_vgen.state_size);
    uc_tls_end_draw();
    *answer = r;
    if (uc_likely(r > 0))
        uc_random_count_quick(uc_tls.thread, who, (size_t)r);
    return true;
}

// The drbg, any size: true = n bytes.
UC_RANDOM_QUICK uc_random_quick_large(void *out, size_t n, unsigned flags, enum uc_stat who)
{
    struct uc_slot *s = uc_random_engine == UC_ENGINE_DRBG ? uc_tls.slot : NULL;
    if (uc_unlikely(!s || (flags & ~(unsigned)GRND_NONBLOCK) || n > UC_RANDOM_ALWAYS) ||
        !uc_random_is_sound(out, false) || !uc_tls_begin_draw())
        return false;
    bool ok = uc_drbg_take(s, out, n) || uc_drbg_draw(s, uc_tls.thread, out, n, flags) == 0;
    uc_tls_end_draw();
    if (uc_likely(ok))
        uc_random_count_quick(uc_tls.thread, who, n);
    return uc_likely(ok);
}

#endif
