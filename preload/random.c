// SPDX-License-Identifier: MIT
// Owns the choice of the generator and every draw that is not quick: the first of a thread, the
// long, the interrupted, the odd. Whatever is unclear goes to the kernel.
#include "random.h"

#include <errno.h>
#include <poll.h>
#include <sys/auxv.h>

#include "chacha.h"
#include "real.h"
#include "say.h"
#include "sys.h"
#include "wipe.h"

#include "poison.h"

enum uc_engine uc_random_engine;
struct uc_random_also uc_random_also;

static void count(struct uc_thread *t, enum uc_stat who, size_t n)
{
    if (who < UC_STAT_COUNT)
        uc_stat_add(t, who, 1);
    if (!uc_stat_is_word(who))
        uc_stat_add(t, UC_STAT_RANDOM_BYTES, n);
}

static long from_kernel(struct uc_thread *t, void *out, size_t n, unsigned flags, enum uc_stat who)
{
    long r = uc_sys_getrandom(out, n, flags);
    count(t, who, r > 0 ? (size_t)r : 0);
    uc_stat_add(t, UC_STAT_RANDOM_KERNEL, 1);
    return r;
}

// drbg: on kernels before 5.6 the flags but one mean something else, or nothing, and those before
// 5.18 give no more than so much at once. The kernel knows. (The vDSO's getrandom came later.)
static bool kernel_should_answer(enum uc_engine engine, const void *out, size_t n, unsigned flags)
{
    bool drbg = engine == UC_ENGINE_DRBG;
    unsigned odd = drbg ? GRND_NONBLOCK + 1 : UC_RANDOM_ODD;
    return n == 0 || (uintptr_t)out < UC_RANDOM_LOW || flags >= odd ||
           (drbg && n > UC_RANDOM_ALWAYS);
}

static long draw_from_drbg(struct uc_thread *t, void *out, size_t n, unsigned flags)
{
    struct uc_slot *s = uc_tls.slot;
    if (!s) {
        s = uc_slot_at(t->index);
        if (!s)
            return -ENOMEM;
        uc_tls.slot = s;
    }
    int r = uc_drbg_draw(s, t, out, n, flags);
    return r < 0 ? r : (long)n;
}

// Ends the draw that the caller began.
static long draw_from_engine(enum uc_engine engine, struct uc_thread *t, void *out, size_t n,
                             unsigned flags)
{
    long r = engine == UC_ENGINE_VDSO ? uc_vgen_draw(t, out, n, flags)
                                      : draw_from_drbg(t, out, n, flags);
    uc_tls_end_draw();
    return r;
}

static long draw(enum uc_engine engine, void *out, size_t n, unsigned flags, enum uc_stat who)
{
    uc_thread_notice_fork();
    struct uc_thread *t = uc_thread_self();
    if (!t || kernel_should_answer(engine, out, n, flags))
        return from_kernel(t, out, n, flags, who);
    if (!uc_tls_begin_draw()) {
        uc_stat_add(t, UC_STAT_RANDOM_REENTERED, 1);
        return from_kernel(t, out, n, flags, who);
    }
    n = n < UC_RANDOM_MOST ? n : UC_RANDOM_MOST;
    long r = draw_from_engine(engine, t, out, n, flags);
    if (r == -ENOMEM || r == -ESTALE)
        return from_kernel(t, out, n, flags, who);
    count(t, who, r > 0 ? (size_t)r : 0);
    return r;
}

// A quick draw that was going on when all slots were wiped has left a number in this thread's.
static void forget_slot(void)
{
    struct uc_slot *s = uc_tls.slot;
    uc_tls.slot = NULL;
    if (s)
        uc_slot_wipe(s);
}

long uc_random_draw(void *out, size_t n, unsigned flags, enum uc_stat who)
{
    // Looked at once: it may be given up meanwhile, and what a slot holds is the engine's matter.
    enum uc_engine engine = __atomic_load_n(&uc_random_engine, __ATOMIC_RELAXED);
    switch (engine) {
    case UC_ENGINE_VDSO:
    case UC_ENGINE_DRBG:
        return draw(engine, out, n, flags, who);
    case UC_ENGINE_SYSTEM:
        count(uc_thread_self(), who, n);
        return UC_RANDOM_PASS;
    case UC_ENGINE_ENDED:
        forget_slot();
        return from_kernel(uc_thread_self(), out, n, flags, who);
    case UC_ENGINE_NONE:
        break;
    }
    // Start-up left this program alone, or has not come yet; in an IFUNC resolver not even our own
    // data can be reached.
    if (uc_real_possible() && uncontend_root.pid)
        return UC_RANDOM_PASS;
    return uc_sys_getrandom(out, n, flags);
}

// Without getrandom there is no other way to wait for the pool than to poll the blocking device.
static void wait_for_pool(void)
{
    int fd = uc_sys_open("/dev/random", O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
    if (fd < 0)
        return;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (UC_SYS4(SYS_ppoll, &p, 1, NULL, NULL) == -EINTR)
        ;
    uc_sys_close(fd);
}

static bool fill_from_device(uint8_t *out, size_t n)
{
    wait_for_pool();
    int fd = uc_sys_open("/dev/urandom", O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
    if (fd < 0)
        return false;
    long r = 1;
    while (n > 0 && (r > 0 || r == -EINTR)) {
        r = uc_sys_read(fd, out, n);
        if (r > 0) {
            out += r;
            n -= (size_t)r;
        }
    }
    uc_sys_close(fd);
    return n == 0;
}

void uc_random_fill_from_kernel(void *out, size_t n)
{
    uint8_t *at = out;
    while (n > 0) {
        long r = uc_sys_getrandom(at, n, 0);
        if (r > 0) {
            at += r;
            n -= (size_t)r;
        } else if (r != -EINTR) {
            break;
        }
    }
    if (n == 0 || fill_from_device(at, n))
        return;
    uc_say("arc4random: neither getrandom nor /dev/urandom gives bytes, and it cannot fail");
    uc_sys_die();
}

int uc_random_fill(void *out, size_t n, enum uc_stat who)
{
    long r = n > 0 ? uc_random_draw(out, n, 0, who) : 0;
    if (r == UC_RANDOM_PASS)
        return UC_RANDOM_PASS;
    size_t done = r > 0 ? (size_t)r : 0;
    uc_random_fill_from_kernel((uint8_t *)out + done, n - done);
    return 0;
}

static bool leave(struct uc_thread *t)
{
    if (uc_random_engine == UC_ENGINE_VDSO) {
        uc_vgen_wipe(t->index);
    } else if (uc_random_engine == UC_ENGINE_DRBG) {
        struct uc_slot *s = uc_slot_at(t->index);
        if (s && atomic_load_explicit(&s->life, memory_order_relaxed) != UC_SLOT_EMPTY)
            uc_slot_wipe(s);
    }
    return false;
}

static enum uc_engine choose(const struct uc_options *o, const char **why)
{
    *why = "";
    if (o->random == UC_RANDOM_SYSTEM)
        return UC_ENGINE_SYSTEM;
    if (o->random != UC_RANDOM_DRBG) {
        int r = uc_vgen_start();
        if (r == 0) {
            *why = uc_vgen_expands() ? "" : "long requests are slow: no MADV_WIPEONFORK that works";
            return UC_ENGINE_VDSO;
        }
        *why = r == -ENOSYS ? "no getrandom in this kernel's vDSO (it came with Linux 6.11)"
                            : "the vDSO's getrandom refuses to be set up";
        // Who asked for it by name wants what the kernel promises, and gets it from the kernel.
        if (o->random == UC_RANDOM_VDSO)
            return UC_ENGINE_SYSTEM;
    }
    if (uc_wipe_works() && uc_slot_start() == 0)
        return UC_ENGINE_DRBG;
    *why = o->random == UC_RANDOM_DRBG
               ? "a fork cannot be detected: no MADV_WIPEONFORK that works"
               : "no getrandom in the vDSO, and no MADV_WIPEONFORK that works";
    return UC_ENGINE_SYSTEM;
}

static const char *given_up; // why

void uc_random_start(const struct uc_options *o, struct uc_state *state)
{
    static const unsigned lanes[] = {0, 1, 4, 8, 16};
    static const char *const names[] = {
        [UC_ENGINE_SYSTEM] = "system", [UC_ENGINE_VDSO] = "vdso", [UC_ENGINE_DRBG] = "drbg"};
    const char *why;
    uc_chacha_start(lanes[o->test_lanes]);
    uc_move_start(uc_chacha_lanes());
    // Where there is no vDSO the clock is a system call, which a sandbox may not allow.
    uc_drbg_start(o->reseed_bytes, getauxval(AT_SYSINFO_EHDR) ? o->reseed_seconds : 0);
    uc_thread_on_exit(leave);
    enum uc_engine engine = choose(o, &why);
    if (given_up) {
        engine = UC_ENGINE_SYSTEM;
        why = given_up;
    }
    uc_text_copy(state->name, sizeof state->name, names[engine]);
    uc_text_copy(state->reason, sizeof state->reason, why);
    uc_random_also.rand_bytes = o->rand_bytes && engine != UC_ENGINE_SYSTEM;
    uc_random_also.by_number = o->take_syscall && engine != UC_ENGINE_SYSTEM;
    __atomic_store_n(&uc_random_engine, engine, __ATOMIC_RELEASE);
}

void uc_random_stop(void)
{
    enum uc_engine was = uc_random_engine;
    if (was != UC_ENGINE_DRBG)
        return;
    __atomic_store_n(&uc_random_engine, UC_ENGINE_ENDED, __ATOMIC_SEQ_CST);
    uc_slot_close();
}

void uc_random_give_up(const char *why)
{
    enum uc_engine was = uc_random_engine;
    given_up = why;
    if (was != UC_ENGINE_VDSO && was != UC_ENGINE_DRBG)
        return;
    __atomic_store_n(&uc_random_engine, UC_ENGINE_SYSTEM, __ATOMIC_SEQ_CST);
    uc_random_also.rand_bytes = uc_random_also.by_number = false;
    if (was == UC_ENGINE_DRBG)
        uc_slot_close();
    uc_text_copy(uncontend_root.random.name, sizeof uncontend_root.random.name, "system");
    uc_text_copy(uncontend_root.random.reason, sizeof uncontend_root.random.reason, why);
}
