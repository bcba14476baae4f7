// SPDX-License-Identifier: MIT
// claim: init and destroy return and leave behind what glibc's do, whatever the memory held before
// compare
// matrix: locks
#include "lib/locks.h"

static struct actor other;

static void print_lock(const char *name, const pthread_rwlock_t *lock)
{
    const unsigned char *byte = (const unsigned char *)lock;

    printf("%s:", name);
    for (size_t i = 0; i < sizeof(*lock); i++)
        printf(" %02x", byte[i]);
    printf("\n");
}

static void print_init(pthread_rwlock_t *lock, int kind, int shared)
{
    pthread_rwlockattr_t attributes;

    CHECK_IS(pthread_rwlockattr_init(&attributes), 0);
    printf("kind %d: set %d", kind, pthread_rwlockattr_setkind_np(&attributes, kind));
    printf(", shared %d: set %d", shared, pthread_rwlockattr_setpshared(&attributes, shared));
    errno = 0;
    printf(", init %d, errno %d\n", pthread_rwlock_init(lock, &attributes), errno);
    print_lock("after init", lock);
    CHECK_IS(pthread_rwlockattr_destroy(&attributes), 0);
}

static void print_use(pthread_rwlock_t *lock)
{
    printf("read %d", pthread_rwlock_rdlock(lock));
    printf(" read %d", pthread_rwlock_tryrdlock(lock));
    printf(" write %d", pthread_rwlock_trywrlock(lock));
    printf(" unlock %d", pthread_rwlock_unlock(lock));
    printf(" unlock %d", pthread_rwlock_unlock(lock));
    printf(" write %d", pthread_rwlock_wrlock(lock));
    printf(" other read %d", actor_do(&other, pthread_rwlock_tryrdlock, lock));
    printf(" other write %d", actor_do(&other, pthread_rwlock_trywrlock, lock));
    printf(" unlock %d\n", pthread_rwlock_unlock(lock));
}

// glibc's destroy changes nothing: what goes on using the lock goes on working.
static void destroy_and_print(pthread_rwlock_t *lock)
{
    errno = 0;
    printf("destroy %d", pthread_rwlock_destroy(lock));
    printf(", errno %d\n", errno);
    print_use(lock);
    lock_warm(lock);
    printf("destroy %d, destroy %d\n", pthread_rwlock_destroy(lock), pthread_rwlock_destroy(lock));
    print_use(lock);
}

int main(void)
{
    static pthread_rwlock_t lock;
    pthread_rwlock_t fixed[] = {PTHREAD_RWLOCK_INITIALIZER,
                                PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP};

    locks_deadline();
    actor_start(&other);
    for (int kind = -1; kind <= 3; kind++) {
        for (int shared = 0; shared <= 2; shared++) {
            memset(&lock, 0xa5, sizeof(lock));
            print_init(&lock, kind, shared);
            lock_warm(&lock);
            print_use(&lock);
            destroy_and_print(&lock);
        }
    }
    memset(&lock, 0xff, sizeof(lock));
    printf("init without attributes %d\n", pthread_rwlock_init(&lock, NULL));
    print_lock("after init", &lock);
    for (int i = 0; i < LOCKS_COUNT(fixed); i++) {
        print_use(&fixed[i]);
        lock_warm(&fixed[i]);
        print_use(&fixed[i]);
        destroy_and_print(&fixed[i]);
    }
    return 0;
}
