// SPDX-License-Identifier: MIT
// claim: std::shared_mutex, shared_timed_mutex, shared_lock and unique_lock behave as without us
// compare
// matrix: locks
#include "lib/locks.h"

#include <chrono>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <system_error>
#include <thread>

using namespace std::chrono_literals;

namespace
{

const char *yes(bool value)
{
    return value ? "yes" : "no";
}

// In a thread of its own, which has ended when this returns.
bool elsewhere(const std::function<bool()> &ask)
{
    bool answer = false;
    std::thread([&] { answer = ask(); }).join();
    return answer;
}

template <class Mutex> void warm(Mutex &mutex)
{
    std::thread other([&] {
        for (int i = 0; i < WARM_READS; i++)
            std::shared_lock<Mutex> hold(mutex);
    });
    for (int i = 0; i < WARM_READS; i++)
        std::shared_lock<Mutex> hold(mutex);
    other.join();
}

template <class Mutex> bool can_read(Mutex &mutex)
{
    return elsewhere([&] { return std::shared_lock<Mutex>(mutex, std::try_to_lock).owns_lock(); });
}

template <class Mutex> bool can_write(Mutex &mutex)
{
    return elsewhere([&] { return std::unique_lock<Mutex>(mutex, std::try_to_lock).owns_lock(); });
}

template <class Mutex> void print_state(const char *when, Mutex &mutex)
{
    std::printf("  %s: others read %s, write %s\n", when, yes(can_read(mutex)),
                yes(can_write(mutex)));
}

template <class Mutex> void print_forms(Mutex &mutex)
{
    print_state("free", mutex);
    {
        std::shared_lock<Mutex> first(mutex);
        print_state("read", mutex);
        std::shared_lock<Mutex> moved(std::move(first));
        std::printf("  moved from owns %s, to owns %s\n", yes(first.owns_lock()),
                    yes(moved.owns_lock()));
        moved.unlock();
        print_state("given back early", mutex);
        moved.lock();
        print_state("read again", mutex);
        try {
            moved.lock();
        } catch (const std::system_error &e) {
            std::printf("  locked twice: error %d\n", e.code().value());
        }
    }
    {
        std::unique_lock<Mutex> hold(mutex, std::defer_lock);
        print_state("deferred", mutex);
        std::printf("  try to write %s\n", yes(hold.try_lock()));
        print_state("written", mutex);
        try {
            mutex.lock();
            std::printf("  written twice\n");
        } catch (const std::system_error &e) {
            std::printf("  written twice: error %d\n", e.code().value());
        }
    }
    {
        std::scoped_lock<Mutex> hold(mutex);
        print_state("scoped", mutex);
    }
    std::printf("  try to read %s\n", yes(mutex.try_lock_shared()));
    mutex.unlock_shared();
    print_state("at the end", mutex);
}

template <class Clock> void print_times(std::shared_timed_mutex &mutex, Clock)
{
    const auto soon = [] { return Clock::now() + 200us; };
    const auto over = [] { return Clock::now() - 1s; };

    for (int held = 0; held < 3; held++) {
        if (held == 1)
            mutex.lock_shared();
        if (held == 2)
            mutex.lock();
        std::printf("  held %d:", held);
        for (int which = 0; which < 4; which++) {
            std::printf(" %s", yes(elsewhere([&] {
                            auto until = which % 2 ? over() : soon();
                            if (which < 2) {
                                bool got = mutex.try_lock_shared_until(until);
                                if (got)
                                    mutex.unlock_shared();
                                return got;
                            }
                            bool got = mutex.try_lock_until(until);
                            if (got)
                                mutex.unlock();
                            return got;
                        })));
        }
        std::printf(", for: %s %s\n", yes(elsewhere([&] {
                        return std::shared_lock<std::shared_timed_mutex>(mutex, 200us).owns_lock();
                    })),
                    yes(elsewhere([&] {
                        return std::unique_lock<std::shared_timed_mutex>(mutex, 200us).owns_lock();
                    })));
        if (held == 1)
            mutex.unlock_shared();
        if (held == 2)
            mutex.unlock();
    }
}

// Writers count in two places, readers see them equal.
template <class Mutex> void print_load(Mutex &mutex)
{
    enum { READS = 20000, WRITES = 400 };
    volatile long one = 0;
    volatile long two = 0;
    auto write = [&] {
        for (int i = 0; i < WRITES; i++) {
            std::lock_guard<Mutex> hold(mutex);
            one = one + 1;
            think(200);
            two = two + 1;
        }
    };
    auto read = [&] {
        for (int i = 0; i < READS; i++) {
            std::shared_lock<Mutex> hold(mutex);
            long before = one;
            think(50);
            CHECK_IS(two, before);
        }
    };
    std::thread threads[] = {std::thread(read), std::thread(write), std::thread(read),
                             std::thread(write)};
    for (std::thread &t : threads)
        t.join();
    std::printf("  after the load: %ld %ld\n", one, two);
}

template <class Mutex> void print_all(const char *name)
{
    Mutex mutex;

    for (int round = 0; round < 2; round++) {
        std::printf("%s, round %d\n", name, round);
        print_forms(mutex);
        print_load(mutex);
        warm(mutex);
    }
}

} // namespace

int main()
{
    locks_deadline();
    print_all<std::shared_mutex>("shared_mutex");
    print_all<std::shared_timed_mutex>("shared_timed_mutex");
    std::shared_timed_mutex timed;
    for (int round = 0; round < 2; round++) {
        print_times(timed, std::chrono::system_clock());
        print_times(timed, std::chrono::steady_clock());
        warm(timed);
    }
    return 0;
}
