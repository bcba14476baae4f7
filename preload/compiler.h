// SPDX-License-Identifier: MIT
// Words for what the compiler is asked to do, and the few helpers that every file needs.
// Cost: an instruction or none, each; uc_ticks() is the CPU's instruction for it, some tens of
// cycles.
#ifndef UC_COMPILER_H
#define UC_COMPILER_H

#if !defined(__linux__) || !defined(__LP64__)
#error "uncontend: 64-bit Linux only"
#endif

#include <stddef.h>
#include <stdint.h>

// A shim: the only kind of symbol that leaves the shared object (see shims/export.map).
#define UC_EXPORT            __attribute__((visibility("default")))
#define UC_COLD              __attribute__((cold, noinline))
#define UC_PRINTF(at, first) __attribute__((format(printf, at, first)))

#define uc_likely(x)   __builtin_expect(!!(x), 1)
#define uc_unlikely(x) __builtin_expect(!!(x), 0)
#define uc_countof(a)  (sizeof(a) / sizeof((a)[0]))

enum { UC_CACHE_LINE = 64, UC_PAGE = 4096 };

// Keeps the compiler, not the CPU, from moving memory accesses across: enough between a thread and
// its own signal handlers.
static inline void uc_compiler_barrier(void)
{
    __asm__ volatile("" ::: "memory");
}

static inline void uc_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

// The CPU's clock: the same on all CPUs, in units of its own.
static inline uint64_t uc_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t t;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#endif
}

// Has the cache line fetched for writing, ahead of a look that is likely to be followed by a write:
// one transfer instead of two when another CPU wrote it last.
static inline void uc_fetch_to_write(const void *p)
{
#if defined(__x86_64__)
    // The compiler's own way needs -mprfchw. A CPU that does not know it does nothing.
    __asm__ volatile("prefetchw %0" ::"m"(*(const char *)p));
#else
    __builtin_prefetch(p, 1);
#endif
}

// memset that is not optimised away when the memory is never read again.
static inline void uc_wipe(void *p, size_t n)
{
    __builtin_memset(p, 0, n);
    __asm__ volatile("" ::"r"(p) : "memory");
}

#endif
