// SPDX-License-Identifier: MIT
// Measures one generator: random WHAT SIZE THREADS MILLISECONDS prints one line, the nanoseconds of
// CPU per call and the calls per second of all threads together. WHAT:
//   getrandom getentropy arc4random arc4random_buf arc4random_uniform   as the process finds them
//   syscall                           syscall(SYS_getrandom, ...), likewise
//   vdso                              the kernel's function in the vDSO, called directly
//   libbsd sodium                     arc4random_buf, randombytes_buf of these libraries themselves
//   openssl boringssl                 RAND_bytes as the process finds it, that library loaded
// Owns no comparison and no table: bench/run-random does.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "vdso.h"

enum { MOST_THREADS = 256, MOST_BYTES = 1 << 20, SKIP = 77 };

extern uint32_t arc4random(void) __attribute__((weak));
extern void arc4random_buf(void *, size_t) __attribute__((weak));
extern uint32_t arc4random_uniform(uint32_t) __attribute__((weak));

static size_t length;
static int (*rand_bytes)(unsigned char *, size_t);
static void (*fill_buf)(void *, size_t);
static ssize_t (*vdso)(void *, size_t, unsigned, void *, size_t);
static struct {
    uint32_t size, prot, flags, reserved[13];
} vdso_wants;

static atomic_bool stop = true; // while each thread warms up with one turn
static pthread_barrier_t begin;

struct worker {
    pthread_t thread;
    uint64_t calls;
    double cpu_seconds;
} __attribute__((aligned(128)));

static struct worker workers[MOST_THREADS];

static _Noreturn void give_up(int status, const char *what)
{
    fprintf(stderr, "random: %s\n", what);
    exit(status);
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#define UNTIL_STOPPED(call)                                                                        \
    do {                                                                                           \
        for (int i = 0; i < 64; i++)                                                               \
            call;                                                                                  \
        calls += 64;                                                                               \
    } while (!atomic_load_explicit(&stop, memory_order_relaxed))

static uint64_t run_getrandom(uint8_t *buf)
{
    uint64_t calls = 0;
    UNTIL_STOPPED(if (getrandom(buf, length, 0) != (ssize_t)length) give_up(1, "getrandom failed"));
    return calls;
}

static uint64_t run_syscall(uint8_t *buf)
{
    uint64_t calls = 0;
    UNTIL_STOPPED(if (syscall(SYS_getrandom, buf, length, 0) != (long)length)
                      give_up(1, "syscall(SYS_getrandom) failed"));
    return calls;
}

static uint64_t run_getentropy(uint8_t *buf)
{
    uint64_t calls = 0;
    UNTIL_STOPPED(if (getentropy(buf, length) != 0) give_up(1, "getentropy failed"));
    return calls;
}

static uint64_t run_arc4random(uint8_t *buf)
{
    uint64_t calls = 0;
    uint32_t sum = 0;
    UNTIL_STOPPED(sum += arc4random());
    memcpy(buf, &sum, sizeof sum);
    return calls;
}

static uint64_t run_arc4random_uniform(uint8_t *buf)
{
    uint64_t calls = 0;
    uint32_t sum = 0;
    UNTIL_STOPPED(sum += arc4random_uniform(1000000));
    memcpy(buf, &sum, sizeof sum);
    return calls;
}

static uint64_t run_fill_buf(uint8_t *buf)
{
    uint64_t calls = 0;
    UNTIL_STOPPED(fill_buf(buf, length));
    return calls;
}

static uint64_t run_rand_bytes(uint8_t *buf)
{
    uint64_t calls = 0;
    UNTIL_STOPPED(if (rand_bytes(buf, length) != 1) give_up(1, "RAND_bytes failed"));
    return calls;
}

static uint64_t run_vdso(uint8_t *buf)
{
    uint64_t calls = 0;
    void *state = mmap(NULL, 4096, (int)vdso_wants.prot, (int)vdso_wants.flags, -1, 0);
    if (state == MAP_FAILED)
        give_up(1, "no memory for a state");
    UNTIL_STOPPED(if (vdso(buf, length, 0, state, vdso_wants.size) != (ssize_t)length)
                      give_up(1, "the vDSO's getrandom failed"));
    return calls;
}

static uint64_t (*run)(uint8_t *buf);

static void *work(void *argument)
{
    struct worker *w = argument;
    static __thread uint8_t buf[MOST_BYTES] __attribute__((aligned(64)));
    (void)run(buf);
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&begin);
    double before = seconds(CLOCK_THREAD_CPUTIME_ID);
    w->calls = run(buf);
    w->cpu_seconds = seconds(CLOCK_THREAD_CPUTIME_ID) - before;
    return NULL;
}

static void *load(const char *library, const char *function)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    void *found = handle ? dlsym(handle, function) : NULL;
    if (!found)
        give_up(SKIP, "that library is not installed");
    return found;
}

static void choose(const char *what)
{
    if (strcmp(what, "getrandom") == 0) {
        run = run_getrandom;
    } else if (strcmp(what, "syscall") == 0) {
        run = run_syscall;
    } else if (strcmp(what, "getentropy") == 0) {
        run = run_getentropy;
    } else if (strcmp(what, "arc4random") == 0 && arc4random) {
        run = run_arc4random;
        length = sizeof(uint32_t);
    } else if (strcmp(what, "arc4random_uniform") == 0 && arc4random_uniform) {
        run = run_arc4random_uniform;
        length = sizeof(uint32_t);
    } else if (strcmp(what, "arc4random_buf") == 0 && arc4random_buf) {
        run = run_fill_buf;
        fill_buf = arc4random_buf;
    } else if (strcmp(what, "libbsd") == 0) {
        run = run_fill_buf;
        fill_buf = (void (*)(void *, size_t))load("libbsd.so.0", "arc4random_buf");
    } else if (strcmp(what, "sodium") == 0) {
        run = run_fill_buf;
        fill_buf = (void (*)(void *, size_t))load("libsodium.so.23", "randombytes_buf");
    } else if (strcmp(what, "openssl") == 0 || strcmp(what, "boringssl") == 0) {
        run = run_rand_bytes;
        (void)load(what[0] == 'o' ? "libcrypto.so.3"
                                  : "/usr/lib/x86_64-linux-gnu/android/libcrypto.so.0",
                   "RAND_bytes");
        rand_bytes = (int (*)(unsigned char *, size_t))dlsym(RTLD_DEFAULT, "RAND_bytes");
    } else if (strcmp(what, "vdso") == 0) {
        run = run_vdso;
        vdso = (ssize_t(*)(void *, size_t, unsigned, void *, size_t))(uintptr_t)uc_vdso_find(
            (const void *)getauxval(AT_SYSINFO_EHDR), "__vdso_getrandom");
        if (!vdso || vdso(NULL, 0, 0, &vdso_wants, ~(size_t)0) != 0)
            give_up(SKIP, "this kernel's vDSO has no getrandom");
    } else {
        give_up(SKIP, "no such function here");
    }
}

int main(int argc, char **argv)
{
    if (argc != 5)
        give_up(2, "usage: random WHAT SIZE THREADS MILLISECONDS");
    length = strtoul(argv[2], NULL, 10);
    unsigned threads = (unsigned)strtoul(argv[3], NULL, 10);
    unsigned long ms = strtoul(argv[4], NULL, 10);
    if (!length || length > MOST_BYTES || !threads || threads > MOST_THREADS || !ms)
        give_up(2, "a number is out of range");
    choose(argv[1]);
    pthread_barrier_init(&begin, NULL, threads + 1);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 4UL << 20);
    for (unsigned i = 0; i < threads; i++) {
        if (pthread_create(&workers[i].thread, &attributes, work, &workers[i]) != 0)
            give_up(1, "no thread");
    }
    pthread_barrier_wait(&begin);
    atomic_store(&stop, false);
    pthread_barrier_wait(&begin);
    double from = seconds(CLOCK_MONOTONIC);
    struct timespec t = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    while (nanosleep(&t, &t) != 0 && errno == EINTR)
        ;
    atomic_store(&stop, true);
    uint64_t calls = 0;
    double cpu = 0;
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        calls += workers[i].calls;
        cpu += workers[i].cpu_seconds;
    }
    double took = seconds(CLOCK_MONOTONIC) - from;
    printf("%.3f %.0f\n", cpu * 1e9 / (double)calls, (double)calls / took);
    return 0;
}

// Last, since it forbids what this program uses.
#include "vdso.c"
