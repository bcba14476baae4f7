// SPDX-License-Identifier: MIT
// claim: readers of a private lock become fast, those of shared and writer-preferring locks never
// plain
//
// Without this the other tests of locks could pass because nothing ever takes the fast path.
#include "lib/scene.h"

enum { MANY_READS = 1500000, LIVES = 1000, READS_OF_A_LIFE = 500 };

static void warm_kind(int kind, int shared)
{
    static pthread_rwlock_t lock;

    lock_init(&lock, kind, shared);
    lock_warm(&lock);
}

static void *read_many(void *lock)
{
    read_times(lock, MANY_READS);
    return NULL;
}

static void run_warm(void)
{
    warm_kind(PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_PROCESS_PRIVATE);
}

static void run_many(void)
{
    static pthread_rwlock_t lock;
    pthread_t other = check_thread(read_many, &lock);

    read_many(&lock);
    check_join(other);
}

// Too few reads at a time for a bias to pay, many in all.
static void run_written(void)
{
    static pthread_rwlock_t lock;

    for (int i = 0; i < LIVES; i++) {
        read_times(&lock, READS_OF_A_LIFE);
        CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
        release(&lock);
    }
}

static void run_short_lived(void)
{
    static pthread_rwlock_t lock;

    for (int i = 0; i < LIVES; i++) {
        CHECK_IS(pthread_rwlock_init(&lock, NULL), 0);
        read_times(&lock, READS_OF_A_LIFE);
        CHECK_IS(pthread_rwlock_destroy(&lock), 0);
    }
}

static void run_kind_2(void)
{
    warm_kind(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP, PTHREAD_PROCESS_PRIVATE);
}

static void run_shared(void)
{
    warm_kind(PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_PROCESS_SHARED);
}

static const struct scene scenes[] = {
    {"warmed, biased early", run_warm, "on", "on", 2 * WARM_READS - 10, 2 * WARM_READS},
    {"read very often", run_many, "on", NULL, MANY_READS * 19L / 10, 2L * MANY_READS},
    {"written now and then", run_written, "on", NULL, 0, 0},
    {"made again and again", run_short_lived, "on", NULL, 0, 0},
    {"kind 2", run_kind_2, "on", "on", 0, 0},
    {"process-shared", run_shared, "on", "on", 0, 0},
    {"spinning alone", run_many, "spin", NULL, 0, 0},
    {"locks off", run_many, "off", NULL, 0, 0},
};

int main(int argc, char **argv)
{
    return scenes_main(argc, argv, scenes, LOCKS_COUNT(scenes));
}
