// SPDX-License-Identifier: MIT
// claim: in a child, init makes a lock usable that other threads held, and what nobody held works
// matrix: locks
// alone
//
// The other threads hold locks, and read others all the time, while the child is made.
#include "lib/locks.h"

#include "lib/forks.h"

enum { HOLDERS = 3, BUSY = 2 };

static pthread_rwlock_t read_elsewhere, written_elsewhere, busy, idle, idle_kind_2;
static struct actor holders[HOLDERS], writer;
static int stop;

static void *read_all_the_time(void *arg)
{
    (void)arg;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        read_times(&busy, 100);
    return NULL;
}

static void check_usable(pthread_rwlock_t *lock)
{
    for (int i = 0; i < FORMS; i++) {
        CHECK_IS(write_forms[i].take(lock), 0);
        CHECK_IS(pthread_rwlock_tryrdlock(lock), EBUSY);
        release(lock);
        CHECK_IS(read_forms[i].take(lock), 0);
        CHECK_IS(pthread_rwlock_rdlock(lock), 0);
        CHECK_IS(pthread_rwlock_trywrlock(lock), EBUSY);
        release(lock);
        release(lock);
    }
}

static int grandchild(void *arg)
{
    (void)arg;
    check_usable(&idle);
    check_usable(&busy);
    return 0;
}

static int child(void *arg)
{
    check_usable(&idle);
    check_usable(&idle_kind_2);
    CHECK_IS(pthread_rwlock_init(&read_elsewhere, NULL), 0);
    check_usable(&read_elsewhere);
    CHECK_IS(pthread_rwlock_init(&written_elsewhere, NULL), 0);
    check_usable(&written_elsewhere);
    CHECK_IS(pthread_rwlock_init(&busy, NULL), 0);
    check_usable(&busy);
    read_times(&busy, WARM_READS);
    read_times(&idle, WARM_READS);
    check_usable(&busy);
    return fork_and_run(arg, grandchild, NULL);
}

static void check_parent_unaffected(void)
{
    CHECK_IS(pthread_rwlock_trywrlock(&read_elsewhere), EBUSY);
    CHECK_IS(pthread_rwlock_tryrdlock(&read_elsewhere), 0);
    release(&read_elsewhere);
    CHECK_IS(pthread_rwlock_tryrdlock(&written_elsewhere), EBUSY);
    check_usable(&idle);
}

static void make_children(void)
{
    for (long i = 0; i < check_count(160, 20000) && !time_is_up(); i++) {
        const struct fork_way *way = &fork_ways[i % FORK_WAYS];

        read_times(&idle, 300);
        read_times(&idle_kind_2, 300);
        CHECK_IS(fork_and_run(way, child, (void *)(uintptr_t)way), 0);
        if (i % 32 == 31)
            check_parent_unaffected();
    }
}

int main(void)
{
    pthread_t readers[BUSY];

    locks_deadline();
    lock_init(&idle_kind_2, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP, PTHREAD_PROCESS_PRIVATE);
    lock_warm(&read_elsewhere);
    lock_warm(&written_elsewhere);
    lock_warm(&idle);
    actor_start(&writer);
    CHECK_IS(actor_do(&writer, pthread_rwlock_wrlock, &written_elsewhere), 0);
    for (int i = 0; i < HOLDERS; i++) {
        actor_start(&holders[i]);
        CHECK_IS(actor_do(&holders[i], pthread_rwlock_rdlock, &read_elsewhere), 0);
    }
    for (int i = 0; i < BUSY; i++)
        readers[i] = check_thread(read_all_the_time, NULL);
    make_children();
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < BUSY; i++)
        check_join(readers[i]);
    for (int i = 0; i < HOLDERS; i++) {
        CHECK_IS(pthread_rwlock_trywrlock(&read_elsewhere), EBUSY);
        CHECK_IS(actor_do(&holders[i], pthread_rwlock_unlock, &read_elsewhere), 0);
    }
    CHECK_IS(actor_do(&writer, pthread_rwlock_unlock, &written_elsewhere), 0);
    check_usable(&read_elsewhere);
    check_usable(&written_elsewhere);
    check_usable(&busy);
    return 0;
}
