// SPDX-License-Identifier: MIT
// claim: locks work in destructors of thread keys and thread_local objects and at process exit
// matrix: locks
//
// Some run after the library's own care for the thread; a lock may be taken in one of them and
// given back in a later one. A new thread must not find what the old one left, nor may threads
// leave something behind that adds up.
#include "lib/locks.h"
#include "lib/memory.h"

enum { KEYS = 6, ROUNDS = 300, SETTLED = 20, GROWTH_KIB = 4096 };

static guarded it;
static pthread_rwlock_t over_rounds, at_exit_lock;
static pthread_key_t keys[KEYS];
static long written;

static void use_lock()
{
    for (int i = 0; i < 5; i++) {
        CHECK_IS(pthread_rwlock_rdlock(&it.lock), 0);
        CHECK_IS(pthread_rwlock_tryrdlock(&it.lock), 0);
        guarded_look(&it);
        release(&it.lock);
        CHECK_IS(pthread_rwlock_trywrlock(&it.lock), EBUSY);
        release(&it.lock);
    }
    CHECK_IS(pthread_rwlock_wrlock(&it.lock), 0);
    guarded_change(&it);
    __atomic_fetch_add(&written, 1, __ATOMIC_RELAXED);
    release(&it.lock);
}

// Value of a key: the destructor's turns that are left.
static void destroy_key(void *value)
{
    intptr_t turn = reinterpret_cast<intptr_t>(value);

    use_lock();
    if (turn % 2 == 0)
        CHECK_IS(pthread_rwlock_rdlock(&over_rounds), 0);
    else
        release(&over_rounds);
    if (turn == 1)
        return;
    for (pthread_key_t key : keys)
        if (!pthread_getspecific(key)) {
            CHECK_IS(pthread_setspecific(key, reinterpret_cast<void *>(turn - 1)), 0);
            return;
        }
}

struct locks_when_destroyed {
    bool touched = false;
    ~locks_when_destroyed()
    {
        use_lock();
    }
};

static thread_local locks_when_destroyed local;

static void *live(void *)
{
    CHECK_IS(pthread_rwlock_rdlock(&it.lock), 0);
    release(&it.lock);
    local.touched = true;
    // Two turns: taken in the first, given back in the second.
    CHECK_IS(pthread_setspecific(keys[0], reinterpret_cast<void *>(2)), 0);
    return nullptr;
}

static void *live_longer(void *)
{
    // As many turns as libc grants.
    CHECK_IS(pthread_setspecific(keys[KEYS - 1], reinterpret_cast<void *>(4)), 0);
    return nullptr;
}

static void check_left_nothing()
{
    CHECK_IS(pthread_rwlock_trywrlock(&over_rounds), 0);
    release(&over_rounds);
    CHECK_IS(pthread_rwlock_trywrlock(&it.lock), 0);
    release(&it.lock);
    CHECK_IS(it.first, written);
    CHECK_IS(it.second, written);
}

static void at_exit()
{
    use_lock();
    CHECK_IS(pthread_rwlock_trywrlock(&at_exit_lock), EBUSY);
    release(&at_exit_lock);
    CHECK_IS(pthread_rwlock_wrlock(&at_exit_lock), 0);
}

struct ends_with_program {
    ~ends_with_program()
    {
        use_lock();
        release(&at_exit_lock);
    }
};

static ends_with_program last_object;

__attribute__((destructor)) static void last_destructor()
{
    use_lock();
    CHECK_IS(pthread_rwlock_trywrlock(&at_exit_lock), 0);
}

int main()
{
    long settled = 0;

    locks_deadline();
    for (pthread_key_t &key : keys)
        CHECK_IS(pthread_key_create(&key, destroy_key), 0);
    lock_warm(&it.lock);
    lock_warm(&over_rounds);
    lock_warm(&at_exit_lock);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t one = check_thread(live, nullptr), two = check_thread(live_longer, nullptr);

        check_join(one);
        check_join(two);
        if (i % 8 == 0)
            lock_warm(&over_rounds);
        check_left_nothing();
        if (i == SETTLED)
            settled = memory_now().mapped_kib;
    }
    CHECK(memory_now().mapped_kib - settled < GROWTH_KIB, "%ld KiB mapped, after %d rounds %ld",
          memory_now().mapped_kib, (int)SETTLED, settled);
    local.touched = true;
    CHECK_IS(pthread_rwlock_rdlock(&at_exit_lock), 0);
    CHECK_IS(atexit(at_exit), 0);
    return 0;
}
