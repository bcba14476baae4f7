// SPDX-License-Identifier: MIT
// claim: millions of short-lived locks, C++'s and C's, destroyed or not, leave memory as it was
// matrix: locks
#include "lib/locks.h"
#include "lib/memory.h"

#include <mutex>
#include <new>
#include <shared_mutex>

enum { SLOTS = 20000, GROWTH_KIB = 1024 };

// What C++'s do not: they are initialised by their values alone.
class made_by_init
{
  public:
    made_by_init()
    {
        CHECK_IS(pthread_rwlock_init(&it, nullptr), 0);
    }
    ~made_by_init()
    {
        CHECK_IS(pthread_rwlock_destroy(&it), 0);
    }
    void lock_shared()
    {
        CHECK_IS(pthread_rwlock_rdlock(&it), 0);
    }
    bool try_lock_shared()
    {
        return pthread_rwlock_tryrdlock(&it) == 0;
    }
    bool try_lock()
    {
        return pthread_rwlock_trywrlock(&it) == 0;
    }
    void unlock()
    {
        release(&it);
    }
    void unlock_shared()
    {
        release(&it);
    }

  private:
    pthread_rwlock_t it;
};

template <class Mutex> static void use(Mutex &mutex)
{
    for (int i = 0; i < 3; i++)
        std::shared_lock<Mutex> reading(mutex);
    CHECK(mutex.try_lock(), "a new mutex was taken");
    CHECK(!mutex.try_lock_shared(), "read although written");
    mutex.unlock();
    std::shared_lock<Mutex> again(mutex);
}

template <class Mutex> static void use_many(long count)
{
    alignas(64) static unsigned char slots[SLOTS][sizeof(Mutex)];

    for (long i = 0; i < count; i++) {
        Mutex on_stack;

        use(on_stack);
        // Ended by its memory being used for something else, as an arena does it.
        use(*new (slots[i % SLOTS]) Mutex);
        if (i % 4 == 0) {
            Mutex *in_heap = new Mutex;

            use(*in_heap);
            delete in_heap;
        }
    }
}

static void *in_thread(void *)
{
    use_many<std::shared_mutex>(1000);
    return nullptr;
}

int main()
{
    long before, after;

    locks_deadline();
    use_many<std::shared_mutex>(SLOTS);
    use_many<std::shared_timed_mutex>(SLOTS);
    use_many<made_by_init>(SLOTS);
    for (int i = 0; i < 20; i++)
        check_join(check_thread(in_thread, nullptr));
    before = memory_now().resident_kib;
    use_many<std::shared_mutex>(check_count(400000, 10000000));
    use_many<std::shared_timed_mutex>(check_count(100000, 1000000));
    use_many<made_by_init>(check_count(100000, 1000000));
    for (int i = 0; i < 500; i++)
        check_join(check_thread(in_thread, nullptr));
    after = memory_now().resident_kib;
    CHECK(after - before < GROWTH_KIB, "%ld KiB before, %ld KiB after", before, after);
    return 0;
}
