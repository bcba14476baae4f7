// SPDX-License-Identifier: MIT
// claim: attributes and static initialisers are accepted, refused and obeyed as by glibc
// compare
// matrix: locks
// waits
//
// Attributes are libc's own functions; what is shown is that the locks made with them, and with
// the initialisers, answer as libc's do, before and after many reads.
#include "lib/locks.h"

static struct actor reader, writer, late;

static void print_attributes(void)
{
    static const int values[] = {-1, 0, 1, 2, 3, 99};
    pthread_rwlockattr_t attributes;

    printf("init %d\n", pthread_rwlockattr_init(&attributes));
    for (int i = 0; i < LOCKS_COUNT(values); i++) {
        int kind = -7;
        int shared = -7;

        printf("set kind %d: %d;", values[i],
               pthread_rwlockattr_setkind_np(&attributes, values[i]));
        printf(" get %d", pthread_rwlockattr_getkind_np(&attributes, &kind));
        printf(" -> %d; set shared: %d;", kind,
               pthread_rwlockattr_setpshared(&attributes, values[i]));
        printf(" get %d", pthread_rwlockattr_getpshared(&attributes, &shared));
        printf(" -> %d\n", shared);
    }
    printf("destroy %d\n", pthread_rwlockattr_destroy(&attributes));
}

static int write_and_unlock(pthread_rwlock_t *lock)
{
    int error = pthread_rwlock_wrlock(lock);

    return error ? error : pthread_rwlock_unlock(lock);
}

// Whether a newcomer, and one who reads already, may read while a writer waits.
static void print_preference(const char *name, pthread_rwlock_t *lock)
{
    int of_reader = actor_do(&reader, pthread_rwlock_rdlock, lock) == 0;
    int of_late = 0;
    int error;

    actor_ask(&writer, write_and_unlock, lock);
    printf("%s: %d read, writer blocks %d", name, of_reader, actor_blocks(&writer));
    error = actor_do(&late, pthread_rwlock_tryrdlock, lock);
    of_late += error == 0;
    printf(", newcomer's try %d", error);
    error = actor_do(&late, monotonic_read_short, lock);
    of_late += error == 0;
    printf(", newcomer's time %d", error);
    error = actor_do(&reader, pthread_rwlock_tryrdlock, lock);
    of_reader += error == 0;
    printf(", reader's try %d\n", error);
    for (; of_late > 0; of_late--)
        CHECK_IS(actor_do(&late, pthread_rwlock_unlock, lock), 0);
    for (; of_reader > 0; of_reader--)
        CHECK_IS(actor_do(&reader, pthread_rwlock_unlock, lock), 0);
    CHECK_IS(actor_answer(&writer), 0);
}

static void print_lock(const char *name, pthread_rwlock_t *lock)
{
    print_preference(name, lock);
    lock_warm(lock);
    print_preference(name, lock);
    printf("%s: write %d", name, pthread_rwlock_wrlock(lock));
    printf(", once more %d", pthread_rwlock_wrlock(lock));
    printf(", other's try %d", actor_do(&late, pthread_rwlock_tryrdlock, lock));
    printf(", unlock %d", pthread_rwlock_unlock(lock));
    lock_warm(lock);
    printf(", destroy %d\n", pthread_rwlock_destroy(lock));
}

// The n-th of the ways to come by a lock: it has the address of the one before.
static const char *make(pthread_rwlock_t *lock, int n)
{
    static const pthread_rwlock_t plain = PTHREAD_RWLOCK_INITIALIZER;
    static const pthread_rwlock_t writers = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

    if (n == 0)
        *lock = plain;
    else if (n == 1)
        *lock = writers;
    else if (n == 2)
        CHECK_IS(pthread_rwlock_init(lock, NULL), 0);
    else
        lock_init(lock, (n - 3) / 2, (n - 3) % 2);
    return n == 0   ? "initialiser"
           : n == 1 ? "writers' initialiser"
           : n == 2 ? "init"
                    : "attributes";
}

int main(void)
{
    static pthread_rwlock_t same, own[9];
    static pthread_rwlock_t plain = PTHREAD_RWLOCK_INITIALIZER;
    static pthread_rwlock_t writers = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

    locks_deadline();
    actor_start(&reader);
    actor_start(&writer);
    actor_start(&late);
    print_attributes();
    print_lock("static", &plain);
    print_lock("static for writers", &writers);
    for (int round = 0; round < 2; round++) {
        for (int n = 0; n < LOCKS_COUNT(own); n++)
            print_lock(make(&same, n), &same);
        for (int n = LOCKS_COUNT(own) - 1; n >= 0; n--)
            print_lock(make(&own[n], n), &own[n]);
    }
    return 0;
}
