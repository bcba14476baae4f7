// SPDX-License-Identifier: MIT
// claim: the __pthread_rwlock names and old versions return what the plain names of glibc return
// compare
// matrix: locks
//
// A new program cannot be linked against the inner names; they are asked for by version, as the
// programs that were.
#include "lib/locks.h"

#define INNER(alias, name, ...)                                                                    \
    extern int alias(pthread_rwlock_t *, ##__VA_ARGS__);                                           \
    __asm__(".symver " #alias ", " #name "@GLIBC_2.2.5")

INNER(inner_read, __pthread_rwlock_rdlock);
INNER(inner_try_read, __pthread_rwlock_tryrdlock);
INNER(inner_write, __pthread_rwlock_wrlock);
INNER(inner_try_write, __pthread_rwlock_trywrlock);
INNER(inner_unlock, __pthread_rwlock_unlock);
INNER(inner_destroy, __pthread_rwlock_destroy);
INNER(inner_init, __pthread_rwlock_init, const pthread_rwlockattr_t *);
INNER(old_read, pthread_rwlock_rdlock);
INNER(old_try_read, pthread_rwlock_tryrdlock);
INNER(old_write, pthread_rwlock_wrlock);
INNER(old_try_write, pthread_rwlock_trywrlock);
INNER(old_unlock, pthread_rwlock_unlock);

struct set {
    const char *name;
    lock_function *read, *try_read, *write, *try_write, *unlock;
};

static const struct set sets[] = {
    {"plain", pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_wrlock,
     pthread_rwlock_trywrlock, pthread_rwlock_unlock},
    {"old", old_read, old_try_read, old_write, old_try_write, old_unlock},
    {"inner", inner_read, inner_try_read, inner_write, inner_try_write, inner_unlock},
};

static struct actor other;

static void print_use(const struct set *one, const struct set *two, pthread_rwlock_t *lock)
{
    printf("%s, %s: read %d", one->name, two->name, one->read(lock));
    printf(" %d", two->read(lock));
    printf(" %d", one->try_read(lock));
    printf(", write %d", two->try_write(lock));
    printf(" %d", actor_do(&other, two->try_write, lock));
    printf(", other reads %d", actor_do(&other, two->try_read, lock));
    printf(", unlock %d", one->unlock(lock));
    printf(" %d", two->unlock(lock));
    printf(" %d", two->unlock(lock));
    actor_ask(&other, two->unlock, lock);
    printf(" %d", actor_answer(&other));
    printf(", write %d", two->write(lock));
    printf(" %d", one->write(lock));
    printf(" %d", one->try_write(lock));
    printf(", read %d", one->read(lock));
    printf(" %d", one->try_read(lock));
    actor_ask(&other, one->read, lock);
    printf(", other blocks %d", actor_blocks(&other));
    printf(", unlock %d", one->unlock(lock));
    printf(", other reads %d", actor_answer(&other));
    printf(" unlocks %d\n", actor_do(&other, two->unlock, lock));
}

int main(void)
{
    static pthread_rwlock_t lock;

    locks_deadline();
    actor_start(&other);
    for (int kind = 0; kind < 3; kind++) {
        pthread_rwlockattr_t attributes;

        CHECK_IS(pthread_rwlockattr_init(&attributes), 0);
        CHECK_IS(pthread_rwlockattr_setkind_np(&attributes, kind), 0);
        printf("kind %d: init %d\n", kind, inner_init(&lock, &attributes));
        for (int i = 0; i < LOCKS_COUNT(sets) * LOCKS_COUNT(sets); i++) {
            lock_warm(&lock);
            print_use(&sets[i / LOCKS_COUNT(sets)], &sets[i % LOCKS_COUNT(sets)], &lock);
        }
        printf("destroy %d\n", inner_destroy(&lock));
    }
    return 0;
}
