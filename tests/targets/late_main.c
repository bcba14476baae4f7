// SPDX-License-Identifier: MIT
// Loads TLS stand-ins by dlopen and counts with them: late_main HOW THREADS CALLS LIBRARY...
// HOW: "together" loads all first, then uses each; "reload" loads, uses and unloads one after the
// other; "beside" is together with another thread running since the start, which has
// initialised a lock of its own; "race" has the threads make a context each, all at once, before
// they count; "static" is beside, with the odd functions' library, whose lock nobody initialises.
// One line for each library.
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "odd.h"
#include "root.h"

enum { MOST_LIBRARIES = 64, MOST_THREADS = 64 };

struct library {
    void *handle;
    void *(*create)(void *);
    void (*destroy)(void *);
    int (*hits)(const void *);
    void (*resume)(void *);
    void *ctx;
};

static long calls;

static void *find(void *handle, const char *name)
{
    void *p = dlsym(handle, name);
    if (!p) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return p;
}

static void load(struct library *l, const char *path)
{
    l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!l->handle) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    l->create = (void *(*)(void *))find(l->handle, "SSL_CTX_new");
    l->destroy = (void (*)(void *))find(l->handle, "SSL_CTX_free");
    l->hits = (int (*)(const void *))find(l->handle, "SSL_CTX_sess_hits");
    l->resume = (void (*)(void *))find(l->handle, "target_resume");
}

static void *count(void *library)
{
    struct library *l = library;
    for (long i = 0; i < calls; i++)
        l->resume(l->ctx);
    return NULL;
}

static void use(struct library *l, int threads)
{
    pthread_t all[MOST_THREADS];
    l->ctx = l->create(NULL);
    uint64_t writes = root_sum(UC_STAT_LOCK_WRITE);
    for (int t = 0; t < threads && t < MOST_THREADS; t++)
        pthread_create(&all[t], NULL, count, l);
    for (int t = 0; t < threads && t < MOST_THREADS; t++)
        pthread_join(all[t], NULL);
    writes = root_sum(UC_STAT_LOCK_WRITE) - writes;
    printf("hits=%d writes=%lu calls=%lu replaced=%u\n", l->hits(l->ctx), (unsigned long)writes,
           (unsigned long)root_calls(""), root_replaced());
    l->destroy(l->ctx);
}

static pthread_barrier_t begin;

static void *race(void *library)
{
    const struct library *l = library;
    struct library own = *l;
    pthread_barrier_wait(&begin);
    own.ctx = own.create(NULL);
    count(&own);
    long hits = own.hits(own.ctx);
    own.destroy(own.ctx);
    return (void *)hits;
}

static void use_racing(struct library *l, int threads)
{
    pthread_t all[MOST_THREADS];
    long hits = 0;
    uint64_t writes = root_sum(UC_STAT_LOCK_WRITE);
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (int t = 0; t < threads; t++)
        pthread_create(&all[t], NULL, race, l);
    for (int t = 0; t < threads; t++) {
        void *own;
        pthread_join(all[t], &own);
        hits += (long)own;
    }
    writes = root_sum(UC_STAT_LOCK_WRITE) - writes;
    printf("hits=%ld writes=%lu calls=%lu replaced=%u\n", hits, (unsigned long)writes,
           (unsigned long)root_calls(""), root_replaced());
}

static struct odd_state odd_state = {.lock = PTHREAD_RWLOCK_INITIALIZER};

// The library is found when this program initialises a lock of its own. The library's function may
// be running by then.
static void use_odd(const char *path)
{
    pthread_rwlock_t own;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        exit(2);
    int (*call)(const char *, struct odd_state *, uint64_t) =
        (int (*)(const char *, struct odd_state *, uint64_t))find(handle, "odd_call");
    pthread_rwlock_init(&own, NULL);
    call("odd_slots", &odd_state, (uint64_t)calls);
    printf("hits=%lu writes=%lu calls=%lu replaced=%u\n", (unsigned long)odd_state.count,
           (unsigned long)root_sum(UC_STAT_LOCK_WRITE), (unsigned long)root_calls(""),
           root_replaced());
}

static void *linger(void *started)
{
    static pthread_rwlock_t lock;
    pthread_rwlock_init(&lock, NULL);
    pthread_barrier_wait(started);
    for (;;)
        pause();
    return NULL;
}

int main(int argc, char **argv)
{
    struct library all[MOST_LIBRARIES];
    if (argc < 5 || argc - 4 > MOST_LIBRARIES)
        return 2;
    int threads = atoi(argv[2]);
    if (threads > MOST_THREADS)
        return 2;
    int count_of = argc - 4;
    calls = atol(argv[3]);
    if (strcmp(argv[1], "beside") == 0 || strcmp(argv[1], "static") == 0) {
        // Static: the other thread may still be leaving the barrier when this block has ended.
        static pthread_barrier_t started;
        pthread_t other;
        pthread_barrier_init(&started, NULL, 2);
        pthread_create(&other, NULL, linger, &started);
        pthread_barrier_wait(&started);
    }
    if (strcmp(argv[1], "static") == 0) {
        use_odd(argv[4]);
        return 0;
    }
    if (strcmp(argv[1], "reload") == 0 || strcmp(argv[1], "race") == 0) {
        for (int i = 0; i < count_of; i++) {
            load(&all[i], argv[4 + i]);
            (argv[1][1] == 'e' ? use : use_racing)(&all[i], threads);
            dlclose(all[i].handle);
        }
        return 0;
    }
    for (int i = 0; i < count_of; i++)
        load(&all[i], argv[4 + i]);
    for (int i = 0; i < count_of; i++)
        use(&all[i], threads);
    return 0;
}
