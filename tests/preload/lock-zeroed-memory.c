// SPDX-License-Identifier: MIT
// claim: locks in memory that is only zero work without init and without destroy
// matrix: locks
#include "lib/locks.h"

enum { ROUNDS = 30 };

static struct actor other;

static void check_works(pthread_rwlock_t *lock, const char *where)
{
    lock_warm(lock);
    CHECK(pthread_rwlock_rdlock(lock) == 0, "%s", where);
    CHECK_IS(actor_do(&other, pthread_rwlock_tryrdlock, lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, lock), EBUSY);
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, lock), EBUSY);
    release(lock);
    CHECK_IS(actor_do(&other, pthread_rwlock_wrlock, lock), 0);
    CHECK(pthread_rwlock_tryrdlock(lock) == EBUSY, "%s", where);
    CHECK(timed_write_short(lock) == ETIMEDOUT, "%s", where);
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, lock), 0);
    CHECK(pthread_rwlock_trywrlock(lock) == 0, "%s", where);
    release(lock);
}

int main(void)
{
    static pthread_rwlock_t in_bss;
    pthread_rwlock_t on_stack;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    locks_deadline();
    actor_start(&other);
    check_works(&in_bss, "bss");
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_t *in_heap = calloc(3, sizeof(*in_heap));
        pthread_rwlock_t *in_page =
            mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        CHECK(in_heap && in_page != MAP_FAILED, "out of memory");
        check_works(&in_heap[i % 3], "calloc");
        free(in_heap);
        check_works(in_page, "mmap");
        CHECK_CALL(madvise(in_page, page, MADV_DONTNEED));
        check_works(in_page, "page dropped and zero again");
        CHECK_CALL(munmap(in_page, page));
        memset(&on_stack, 0, sizeof(on_stack));
        check_works(&on_stack, "stack");
    }
    return 0;
}
