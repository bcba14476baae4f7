// SPDX-License-Identifier: MIT
// claim: glib's GRWLock, which is a pthread_rwlock_t in memory of its own, behaves as without us
// compare
// matrix: locks
// cflags: `pkg-config --cflags glib-2.0`
// link: `pkg-config --libs glib-2.0`
#include "lib/locks.h"

#include <glib.h>

enum { READS = 30000, WRITES = 500 };

static GRWLock in_place; // zeroed memory is a lock
static volatile long one, two;

static void *try_both(void *arg)
{
    GRWLock *lock = arg;
    bool read = g_rw_lock_reader_trylock(lock);

    if (read)
        g_rw_lock_reader_unlock(lock);
    bool write = g_rw_lock_writer_trylock(lock);

    if (write)
        g_rw_lock_writer_unlock(lock);
    return (void *)(intptr_t)(read * 2 + write);
}

static void print_state(const char *when, GRWLock *lock)
{
    printf("%s: others get %d\n", when, (int)(intptr_t)check_join(check_thread(try_both, lock)));
}

static void *read_often(void *arg)
{
    GRWLock *lock = arg;

    for (int i = 0; i < READS; i++) {
        g_rw_lock_reader_lock(lock);
        long before = one;

        think(50);
        CHECK_IS(two, before);
        g_rw_lock_reader_unlock(lock);
    }
    return NULL;
}

static void *write_often(void *arg)
{
    GRWLock *lock = arg;

    for (int i = 0; i < WRITES; i++) {
        GRWLockWriterLocker *hold = g_rw_lock_writer_locker_new(lock);

        one = one + 1;
        think(200);
        two = two + 1;
        g_rw_lock_writer_locker_free(hold);
    }
    return NULL;
}

static void print_load(GRWLock *lock)
{
    pthread_t threads[4];

    one = two = 0;
    for (int i = 0; i < 4; i++)
        threads[i] = check_thread(i < 2 ? read_often : write_often, lock);
    for (int i = 0; i < 4; i++)
        check_join(threads[i]);
    printf("after the load: %ld %ld\n", one, two);
}

static void print_all(GRWLock *lock)
{
    print_state("free", lock);
    g_rw_lock_reader_lock(lock);
    g_rw_lock_reader_lock(lock);
    print_state("read twice", lock);
    g_rw_lock_reader_unlock(lock);
    print_state("read", lock);
    printf("own try to write %d\n", g_rw_lock_writer_trylock(lock));
    g_rw_lock_reader_unlock(lock);
    g_rw_lock_writer_lock(lock);
    print_state("written", lock);
    printf("own try to read %d\n", g_rw_lock_reader_trylock(lock));
    g_rw_lock_writer_unlock(lock);
    print_state("free again", lock);
    print_load(lock);
    (void)read_often(lock);
}

int main(void)
{
    GRWLock *made = g_new(GRWLock, 1);

    locks_deadline();
    g_rw_lock_init(made);
    for (int round = 0; round < 2; round++) {
        print_all(&in_place);
        print_all(made);
    }
    g_rw_lock_clear(made);
    g_free(made);
    return 0;
}
