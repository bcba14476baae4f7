// SPDX-License-Identifier: MIT
// A program for race detectors and memory checkers: two threads read and one writes what a
// reader-writer lock guards. With the argument `race` the writer forgets the lock.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { READS = 3000, WRITES = 30 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static long guarded;

static void *read_it(void *sum)
{
    for (int i = 0; i < READS; i++) {
        pthread_rwlock_rdlock(&lock);
        *(long *)sum += guarded >= 0;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static void *write_it(void *careless)
{
    for (int i = 0; i < WRITES; i++) {
        if (!careless)
            pthread_rwlock_wrlock(&lock);
        guarded++;
        if (!careless)
            pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    long sums[2] = {0, 0};
    pthread_t threads[3];

    (void)read_it(&sums[0]); // alone at first: a lock that is read often
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, read_it, &sums[i]) != 0)
            return 2;
    }
    if (pthread_create(&threads[2], NULL, write_it,
                       argc > 1 && !strcmp(argv[1], "race") ? argv : NULL))
        return 2;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%ld %ld %ld\n", sums[0], sums[1], guarded);
    return 0;
}
