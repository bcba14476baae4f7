// SPDX-License-Identifier: MIT
// Owns the RAND_bytes family of OpenSSL 1.1 and 3, BoringSSL and AWS-LC: served by libuncontend.so
// when UNCONTEND_RAND_BYTES is on, else handed to the library that the caller meant. Is an object
// of its own, preloaded on request only: whoever stands in front of a library that can be unloaded
// changes what keeps it loaded. Needs libc alone; must not keep a caller's object loaded.
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/random.h>
#include <sys/syscall.h>

#include "draw.h"

// NULL when libuncontend.so is not there.
#pragma weak uncontend_draw

// The length is an int in OpenSSL and a size_t in BoringSSL and AWS-LC. It is taken as the whole
// register: what both read alike is served, everything else is the library's to judge.
UC_EXPORT int RAND_bytes(unsigned char *buf, size_t n);
UC_EXPORT int RAND_priv_bytes(unsigned char *buf, size_t n);
UC_EXPORT int RAND_pseudo_bytes(unsigned char *buf, size_t n);
UC_EXPORT int RAND_bytes_ex(void *context, unsigned char *buf, size_t n, unsigned strength);
UC_EXPORT int RAND_priv_bytes_ex(void *context, unsigned char *buf, size_t n, unsigned strength);

typedef int plain(unsigned char *, size_t);
typedef int extended(void *, unsigned char *, size_t, unsigned);

// A library may refuse a demand for more than this many bits of strength; we leave that to it.
enum { STRENGTH = 256 };

// Places that a function is called from, and what it is there: a context must reach the library
// that made it. Written once, in turn; from further places it is looked for at each call.
enum { SITES = 64 };

struct function {
    const char *name;
    const void *ours;
    struct site {
        const void *caller;   // NULL: free; the function itself: being written
        const void *original; // in an object that is held
    } sites[SITES];
};

// As the caller's own binding would have found it: what all see, then what the caller's object
// brought along (a library that was loaded with RTLD_LOCAL).
static const void *find(const struct function *f, const void *caller)
{
    Dl_info where;
    const void *found = dlsym(RTLD_NEXT, f->name);
    if (found || !dladdr(caller, &where) || !where.dli_fname)
        return found;
    void *scope = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!scope)
        return NULL;
    found = dlsym(scope, f->name);
    (void)dlclose(scope);
    return found == f->ours ? NULL : found;
}

// Bound to us, the caller does not keep the library loaded any more; so we do. Looked for again
// afterwards: it may have been unloaded just before.
static bool hold(const struct function *f, const void *caller, const void *found)
{
    Dl_info where;
    for (size_t i = 0; i < SITES; i++)
        if (__atomic_load_n(&f->sites[i].original, __ATOMIC_RELAXED) == found)
            return true;
    return dladdr(found, &where) && where.dli_fname &&
           dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD) && find(f, caller) == found;
}

static bool is_full(const struct function *f)
{
    return __atomic_load_n(&f->sites[SITES - 1].caller, __ATOMIC_RELAXED) != NULL;
}

static void remember(struct function *f, const void *caller, const void *found)
{
    for (struct site *s = f->sites; s < f->sites + SITES; s++) {
        const void *nobody = NULL;
        if (!__atomic_compare_exchange_n(&s->caller, &nobody, (const void *)f, false,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        __atomic_store_n(&s->original, found, __ATOMIC_RELAXED);
        __atomic_store_n(&s->caller, caller, __ATOMIC_RELEASE);
        return;
    }
}

static UC_COLD const void *find_and_remember(struct function *f, const void *caller)
{
    const void *found = find(f, caller);
    if (found && !is_full(f) && hold(f, caller, found))
        remember(f, caller, found);
    return found;
}

static const void *original(struct function *f, const void *caller)
{
    for (const struct site *s = f->sites; s < f->sites + SITES; s++) {
        const void *known = __atomic_load_n(&s->caller, __ATOMIC_ACQUIRE);
        if (known == caller)
            return s->original;
        if (!known)
            break;
    }
    return find_and_remember(f, caller);
}

static inline bool serve(void *buf, size_t n)
{
    return uncontend_draw && uncontend_draw(buf, n);
}

// Nobody has the function that the caller was linked with: it gets good bytes rather than a crash.
static UC_COLD int serve_anyway(unsigned char *buf, size_t n)
{
    if (n > INT_MAX)
        return 0;
    while (n > 0) {
        ssize_t r = getrandom(buf, n, 0);
        if (r < 0 && errno != EINTR)
            return 0;
        buf += r > 0 ? r : 0;
        n -= r > 0 ? (size_t)r : 0;
    }
    return 1;
}

// An IFUNC resolver of a library that starts before us may call when we are not relocated: the word
// holds its link-time value, and no other object can be called.
static const volatile void *const volatile relocated = &relocated;

static inline long ask_kernel(void *buf, size_t n)
{
#if defined(__x86_64__)
    long r = SYS_getrandom;
    __asm__ volatile("syscall" : "+a"(r) : "D"(buf), "S"(n), "d"(0L) : "rcx", "r11", "memory");
    return r;
#elif defined(__aarch64__)
    register long number __asm__("x8") = SYS_getrandom;
    register long first __asm__("x0") = (long)buf;
    register long second __asm__("x1") = (long)n;
    register long third __asm__("x2") = 0;
    __asm__ volatile("svc 0" : "+r"(first) : "r"(number), "r"(second), "r"(third) : "memory");
    return first;
#endif
}

static UC_COLD int serve_early(unsigned char *buf, size_t n)
{
    if (n > INT_MAX)
        return 0;
    while (n > 0) {
        long r = ask_kernel(buf, n);
        if (r < 0 && r != -EINTR)
            return 0;
        buf += r > 0 ? r : 0;
        n -= r > 0 ? (size_t)r : 0;
    }
    return 1;
}

static int pass(struct function *f, const void *caller, unsigned char *buf, size_t n)
{
    if (uc_unlikely(relocated != &relocated))
        return serve_early(buf, n);
    plain *own = (plain *)(uintptr_t)original(f, caller);
    return own ? own(buf, n) : serve_anyway(buf, n);
}

static int pass_extended(struct function *f, const void *caller, void *context, unsigned char *buf,
                         size_t n, unsigned strength)
{
    if (uc_unlikely(relocated != &relocated))
        return strength <= STRENGTH && serve_early(buf, n);
    extended *own = (extended *)(uintptr_t)original(f, caller);
    return own ? own(context, buf, n, strength) : serve_anyway(buf, n);
}

int RAND_bytes(unsigned char *buf, size_t n)
{
    static struct function f = {.name = "RAND_bytes", .ours = RAND_bytes};
    return uc_likely(serve(buf, n)) ? 1 : pass(&f, __builtin_return_address(0), buf, n);
}

int RAND_priv_bytes(unsigned char *buf, size_t n)
{
    static struct function f = {.name = "RAND_priv_bytes", .ours = RAND_priv_bytes};
    return uc_likely(serve(buf, n)) ? 1 : pass(&f, __builtin_return_address(0), buf, n);
}

int RAND_pseudo_bytes(unsigned char *buf, size_t n)
{
    static struct function f = {.name = "RAND_pseudo_bytes", .ours = RAND_pseudo_bytes};
    return uc_likely(serve(buf, n)) ? 1 : pass(&f, __builtin_return_address(0), buf, n);
}

int RAND_bytes_ex(void *context, unsigned char *buf, size_t n, unsigned strength)
{
    static struct function f = {.name = "RAND_bytes_ex", .ours = RAND_bytes_ex};
    if (uc_likely(strength <= STRENGTH && serve(buf, n)))
        return 1;
    return pass_extended(&f, __builtin_return_address(0), context, buf, n, strength);
}

int RAND_priv_bytes_ex(void *context, unsigned char *buf, size_t n, unsigned strength)
{
    static struct function f = {.name = "RAND_priv_bytes_ex", .ours = RAND_priv_bytes_ex};
    if (uc_likely(strength <= STRENGTH && serve(buf, n)))
        return 1;
    return pass_extended(&f, __builtin_return_address(0), context, buf, n, strength);
}
