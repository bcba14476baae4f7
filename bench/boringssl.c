// SPDX-License-Identifier: MIT
//
// How long RAND_bytes(16) of a BoringSSL takes when 1, 2, ... threads of one process call it.
// Debian's build of 2022 takes read locks of the whole process in each call: one where
// MADV_WIPEONFORK works, more elsewhere. Prints one line per number of threads; comparing a plain
// and a preloaded process is run-boringssl's work. The library is loaded by name at run time, so
// nothing here needs its headers.

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MAX_THREADS = 256,
    CALLS_BETWEEN_LOOKS = 32, // at the stop flag: it must cost nothing next to the calls
    EXIT_USAGE = 2,
};

typedef int rand_bytes_function(uint8_t *out, size_t size);

struct round {
    rand_bytes_function *rand_bytes;
    pthread_barrier_t start;
    atomic_bool stop;
    atomic_bool failed;
};

struct caller {
    pthread_t thread;
    struct round *round;
    uint64_t calls;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *call_until_stopped(void *argument)
{
    struct caller *caller = argument;
    struct round *round = caller->round;
    uint8_t out[16];
    uint64_t calls = 0;

    // The first call of a thread makes and seeds its state.
    bool worked = round->rand_bytes(out, sizeof out) == 1;
    pthread_barrier_wait(&round->start);
    while (worked && !atomic_load_explicit(&round->stop, memory_order_relaxed)) {
        for (int i = 0; i < CALLS_BETWEEN_LOOKS; i++) {
            worked &= round->rand_bytes(out, sizeof out) == 1;
        }
        calls += CALLS_BETWEEN_LOOKS;
    }
    if (!worked) {
        atomic_store_explicit(&round->failed, true, memory_order_relaxed);
    }
    caller->calls = calls;
    return NULL;
}

static int cpus_here(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// The time that one call keeps a CPU busy: with more threads than CPUs, only as many as there are
// CPUs run at a time.
static double ns_per_call(int threads, double elapsed, uint64_t calls)
{
    int cpus = cpus_here();
    return (threads < cpus ? threads : cpus) * elapsed * 1e9 / (double)calls;
}

static int measure(rand_bytes_function *rand_bytes, int threads, double seconds)
{
    struct round round = {.rand_bytes = rand_bytes};
    struct caller callers[MAX_THREADS] = {0};
    uint64_t calls = 0;

    pthread_barrier_init(&round.start, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++) {
        callers[i].round = &round;
        int rc = pthread_create(&callers[i].thread, NULL, call_until_stopped, &callers[i]);
        if (rc != 0) {
            // The threads that exist wait for the rest for ever; only the process can end them.
            fprintf(stderr, "boringssl: pthread_create: %s\n", strerror(rc));
            exit(EXIT_FAILURE);
        }
    }
    pthread_barrier_wait(&round.start);
    double begin = now();
    struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
    atomic_store_explicit(&round.stop, true, memory_order_relaxed);
    for (int i = 0; i < threads; i++) {
        pthread_join(callers[i].thread, NULL);
        calls += callers[i].calls;
    }
    double elapsed = now() - begin;
    pthread_barrier_destroy(&round.start);
    if (round.failed || calls == 0) {
        fprintf(stderr, "boringssl: RAND_bytes failed\n");
        return -EIO;
    }
    printf("threads=%d ns=%.1f calls=%llu seconds=%.3f\n", threads,
           ns_per_call(threads, elapsed, calls), (unsigned long long)calls, elapsed);
    return 0;
}

int main(int argc, char **argv)
{
    double seconds = argc > 3 ? strtod(argv[2], NULL) : 0;
    if (!(seconds >= 0.01 && seconds <= 60)) {
        fprintf(stderr, "usage: boringssl LIBCRYPTO SECONDS THREADS...\n");
        return EXIT_USAGE;
    }
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "RAND_bytes") : NULL;
    if (!symbol) {
        fprintf(stderr, "boringssl: %s\n", dlerror());
        return EXIT_FAILURE;
    }
    rand_bytes_function *rand_bytes;
    memcpy(&rand_bytes, &symbol, sizeof rand_bytes);

    for (int i = 3; i < argc; i++) {
        int threads = atoi(argv[i]);
        if (threads < 1 || threads > MAX_THREADS) {
            fprintf(stderr, "boringssl: '%s' is no number from 1 to %d\n", argv[i], MAX_THREADS);
            return EXIT_USAGE;
        }
        if (measure(rand_bytes, threads, seconds) != 0) {
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
