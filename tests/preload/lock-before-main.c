// SPDX-License-Identifier: MIT
// claim: locks work in an IFUNC resolver, in preinit functions and in constructors
// matrix: locks
//
// The resolver takes the lock and leaves it read-locked: what is used before the library was
// started and what is used after must be one lock.
#include "lib/locks.h"

static pthread_rwlock_t from_resolver, from_preinit, from_constructor;
static int resolved, preinitialised, constructed;

// CHECK needs a libc that is started; a resolver can only note what it saw.
static int use(pthread_rwlock_t *lock)
{
    int errors = 0;

    for (int i = 0; i < 200; i++) {
        errors += pthread_rwlock_rdlock(lock) != 0;
        errors += pthread_rwlock_tryrdlock(lock) != 0;
        errors += pthread_rwlock_trywrlock(lock) != EBUSY;
        errors += pthread_rwlock_unlock(lock) != 0;
        errors += pthread_rwlock_unlock(lock) != 0;
    }
    errors += pthread_rwlock_wrlock(lock) != 0;
    errors += pthread_rwlock_rdlock(lock) != EDEADLK;
    errors += pthread_rwlock_tryrdlock(lock) != EBUSY;
    errors += pthread_rwlock_unlock(lock) != 0;
    errors += pthread_rwlock_rdlock(lock) != 0;
    return errors;
}

static int answer(void)
{
    return 42;
}

__attribute__((used)) static int (*resolve(void))(void)
{
    resolved = 1 + use(&from_resolver);
    return answer;
}

int by_ifunc(void) __attribute__((ifunc("resolve")));

static void before_constructors(void)
{
    preinitialised = 1 + use(&from_preinit);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const preinit)(void) = before_constructors;

__attribute__((constructor(101))) static void first_constructor(void)
{
    constructed = 1 + use(&from_constructor);
}

static void check_held_since_then(struct actor *other, pthread_rwlock_t *lock, const char *when)
{
    CHECK(actor_do(other, pthread_rwlock_trywrlock, lock) == EBUSY, "%s: the read lock is lost",
          when);
    lock_warm(lock);
    CHECK_IS(actor_do(other, pthread_rwlock_trywrlock, lock), EBUSY);
    release(lock);
    CHECK_IS(actor_do(other, pthread_rwlock_trywrlock, lock), 0);
    CHECK_IS(pthread_rwlock_tryrdlock(lock), EBUSY);
    CHECK_IS(actor_do(other, pthread_rwlock_unlock, lock), 0);
}

int main(void)
{
    static struct actor other;

    locks_deadline();
    actor_start(&other);
    CHECK_IS(by_ifunc(), 42);
    CHECK_IS(resolved, 1);
    CHECK_IS(preinitialised, 1);
    CHECK_IS(constructed, 1);
    check_held_since_then(&other, &from_resolver, "resolver");
    check_held_since_then(&other, &from_preinit, "preinit");
    check_held_since_then(&other, &from_constructor, "constructor");
    return 0;
}
