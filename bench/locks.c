// SPDX-License-Identifier: MIT
// Owns one measurement of one reader-writer lock: threads that do some private work, take the lock
// to read or now and then to write, do some work inside, let go. Says how many sections were done,
// what they cost, and, with -w, how long each acquisition took. Knows nothing of who implements the
// lock: run it plain or preloaded, side by side.
//
//   locks [-wp] [-k LOOPS_PER_US] THREADS WRITES_PER_MILLION SECTION_NS PRIVATE_NS SECONDS
//     -p: each thread stays on one CPU, in turn, so that a short run is not about the scheduler
//   locks -c                     prints LOOPS_PER_US, so that several runs can share one
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 256, BUCKETS = 64 * 8 };

struct settings {
    int threads;
    uint32_t writes_per_million;
    uint64_t section_loops, private_loops;
    double seconds;
    bool waits, pinned;
};

struct waits {
    uint64_t longest;         // ns
    uint32_t bucket[BUCKETS]; // acquisitions by time: 8 steps to each doubling
};

enum { READ, WRITE, SORTS };

struct worker {
    pthread_t thread;
    uint64_t done[SORTS];
    struct waits waits[SORTS];
    uint32_t random;
} __attribute__((aligned(128)));

static struct settings set;
static struct worker workers[MOST_THREADS];
static struct {
    pthread_rwlock_t lock __attribute__((aligned(64)));
    uint64_t guarded __attribute__((aligned(64)));
} shared = {.lock = PTHREAD_RWLOCK_INITIALIZER};
static _Atomic(int) ready;
static _Atomic(int) go, stop;

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static void work(uint64_t loops)
{
    for (uint64_t i = 0; i < loops; i++)
        __asm__ volatile("" ::"r"(i));
}

static uint64_t loops_per_us(void)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 50; i++) {
        uint64_t t = now();
        work(1000000);
        t = now() - t;
        best = t < best ? t : best;
    }
    return 1000000000U / best;
}

static void check(int r, const char *what)
{
    if (r == 0)
        return;
    fprintf(stderr, "locks: %s: %s\n", what, strerror(r));
    exit(1);
}

static unsigned bucket_of(uint64_t ns)
{
    if (ns < 8)
        return (unsigned)ns;
    unsigned top = 63 - (unsigned)__builtin_clzll(ns);
    unsigned b = (top - 2) * 8 + (unsigned)(ns >> (top - 3) & 7);
    return b < BUCKETS ? b : BUCKETS - 1;
}

static uint64_t bucket_ns(unsigned b)
{
    return b < 8 ? b : (8 + (uint64_t)b % 8) << (b / 8 - 1);
}

static bool wants_to_write(struct worker *w)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 17;
    w->random ^= w->random << 5;
    return (uint64_t)w->random * 1000000 >> 32 < set.writes_per_million;
}

static void note(struct waits *waits, uint64_t begun)
{
    uint64_t took = now() - begun;
    waits->bucket[bucket_of(took)]++;
    waits->longest = took > waits->longest ? took : waits->longest;
}

static inline void section(struct worker *w, bool waits)
{
    uint64_t begun = 0;
    work(set.private_loops);
    bool write = set.writes_per_million && wants_to_write(w);
    if (waits)
        begun = now();
    if (write)
        check(pthread_rwlock_wrlock(&shared.lock), "wrlock");
    else
        check(pthread_rwlock_rdlock(&shared.lock), "rdlock");
    if (waits)
        note(&w->waits[write ? WRITE : READ], begun);
    work(set.section_loops);
    if (write)
        shared.guarded++;
    w->done[write ? WRITE : READ]++;
    check(pthread_rwlock_unlock(&shared.lock), "unlock");
}

// The n-th of the CPUs that this process may use, over and over.
static void stay_on_cpu(int n)
{
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    n %= CPU_COUNT(&all);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &all) && n-- == 0)
            CPU_SET(cpu, &one);
    }
    (void)pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

static void *run(void *arg)
{
    struct worker *w = arg;
    if (set.pinned)
        stay_on_cpu((int)(w - workers));
    atomic_fetch_add(&ready, 1);
    while (!atomic_load_explicit(&go, memory_order_acquire))
        usleep(100);
    if (set.waits) {
        while (!atomic_load_explicit(&stop, memory_order_relaxed))
            section(w, true);
    } else {
        while (!atomic_load_explicit(&stop, memory_order_relaxed))
            section(w, false);
    }
    return NULL;
}

static double cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static uint64_t percentile(int sort, uint64_t count, double share)
{
    uint64_t seen = 0;
    for (unsigned b = 0; b < BUCKETS; b++) {
        for (int i = 0; i < set.threads; i++)
            seen += workers[i].waits[sort].bucket[b];
        if ((double)seen >= (double)count * share)
            return bucket_ns(b);
    }
    return 0;
}

static void print_waits(const char *name, int sort, uint64_t count)
{
    uint64_t longest = 0;
    for (int i = 0; i < set.threads; i++) {
        uint64_t own = workers[i].waits[sort].longest;
        longest = own > longest ? own : longest;
    }
    printf(" %s_p50 %lu %s_p99 %lu %s_p999 %lu %s_longest %lu", name, percentile(sort, count, 0.5),
           name, percentile(sort, count, 0.99), name, percentile(sort, count, 0.999), name,
           longest);
}

static void print(double seconds, double cpu)
{
    uint64_t reads = 0;
    uint64_t writes = 0;
    for (int i = 0; i < set.threads; i++) {
        reads += workers[i].done[READ];
        writes += workers[i].done[WRITE];
    }
    if (shared.guarded != writes) {
        fprintf(stderr, "locks: %lu writes, counted %lu: no exclusion\n", writes, shared.guarded);
        exit(1);
    }
    printf("sections_per_s %.0f ns_per_section %.2f cpu_ns %.1f reads %lu writes %lu",
           (double)(reads + writes) / seconds,
           1e9 * seconds * set.threads / (double)(reads + writes),
           1e9 * cpu / (double)(reads + writes), reads, writes);
    if (set.waits) {
        print_waits("read", READ, reads);
        print_waits("write", WRITE, writes);
    }
    printf("\n");
}

static void measure(void)
{
    for (int i = 0; i < set.threads; i++) {
        workers[i].random = 2654435769U * (uint32_t)(i + 1);
        check(pthread_create(&workers[i].thread, NULL, run, &workers[i]), "pthread_create");
    }
    while (atomic_load(&ready) < set.threads)
        usleep(100);
    double cpu = cpu_seconds();
    uint64_t begun = now();
    atomic_store_explicit(&go, 1, memory_order_release);
    usleep((useconds_t)(set.seconds * 1e6));
    atomic_store_explicit(&stop, 1, memory_order_relaxed);
    double took = (double)(now() - begun) / 1e9;
    for (int i = 0; i < set.threads; i++)
        check(pthread_join(workers[i].thread, NULL), "pthread_join");
    print(took, cpu_seconds() - cpu);
}

int main(int argc, char **argv)
{
    uint64_t loops = 0;
    int option;
    while ((option = getopt(argc, argv, "cwpk:")) != -1) {
        if (option == 'c') {
            printf("%lu\n", loops_per_us());
            return 0;
        }
        if (option == 'w')
            set.waits = true;
        else if (option == 'p')
            set.pinned = true;
        else if (option == 'k')
            loops = strtoull(optarg, NULL, 10);
        else
            return 2;
    }
    if (argc - optind != 5) {
        fprintf(stderr,
                "usage: locks [-wp] [-k LOOPS_PER_US] THREADS WRITES_PER_MILLION SECTION_NS "
                "PRIVATE_NS SECONDS\n");
        return 2;
    }
    loops = loops ? loops : loops_per_us();
    set.threads = atoi(argv[optind]);
    set.writes_per_million = (uint32_t)strtoul(argv[optind + 1], NULL, 10);
    set.section_loops = strtoull(argv[optind + 2], NULL, 10) * loops / 1000;
    set.private_loops = strtoull(argv[optind + 3], NULL, 10) * loops / 1000;
    set.seconds = strtod(argv[optind + 4], NULL);
    if (set.threads < 1 || set.threads > MOST_THREADS)
        return 2;
    measure();
    return 0;
}
