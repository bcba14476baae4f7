// SPDX-License-Identifier: MIT
// claim: a lock that takes over the address of a much-read one behaves by its own attributes
// matrix: locks
//
// The old lock is never destroyed. The new one comes by init, by its bytes (a static initialiser,
// a copy), or by another process that initialised it before this one mapped it there.
#include "lib/file_to_map.h"
#include "lib/locks.h"

enum { ROUNDS = 12, KIND_2 = PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP };

static struct actor other, waiter;

static void check_kind_2(pthread_rwlock_t *lock)
{
    CHECK_IS(pthread_rwlock_rdlock(lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_rdlock, lock), 0);
    actor_ask(&waiter, pthread_rwlock_wrlock, lock);
    CHECK_BLOCKS(&waiter, "wrlock behind readers");
    CHECK_IS(pthread_rwlock_tryrdlock(lock), EBUSY);
    CHECK_IS(actor_do(&other, timed_read_short, lock), ETIMEDOUT);
    release(lock);
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, lock), 0);
    CHECK_IS(actor_answer(&waiter), 0);
    CHECK_IS(actor_do(&waiter, pthread_rwlock_unlock, lock), 0);
}

// Answers a peer process gives: it runs one lock function for each byte it is sent.
static lock_function *const peer_jobs[] = {pthread_rwlock_tryrdlock, pthread_rwlock_trywrlock,
                                           pthread_rwlock_unlock};
enum { PEER_TRY_READ, PEER_TRY_WRITE, PEER_UNLOCK };

static int to_peer[2], from_peer[2];

static int peer(void *arg)
{
    char what;

    close(to_peer[1]);
    while (check_read(to_peer[0], &what, 1) == 1) {
        char answer = (char)peer_jobs[(int)what](arg);

        check_write(from_peer[1], &answer, 1);
    }
    return 0;
}

static int ask_peer(char what)
{
    char answer;

    check_write(to_peer[1], &what, 1);
    CHECK_IS(check_read(from_peer[0], &answer, 1), 1);
    return answer;
}

static void check_shared_with_peer(pthread_rwlock_t *lock)
{
    pid_t pid;

    CHECK_CALL(pipe(to_peer));
    CHECK_CALL(pipe(from_peer));
    pid = check_child(peer, lock);
    close(to_peer[0]);
    for (int i = 0; i < 3; i++) {
        CHECK_IS(pthread_rwlock_rdlock(lock), 0);
        CHECK_IS(ask_peer(PEER_TRY_WRITE), EBUSY);
        CHECK_IS(ask_peer(PEER_TRY_READ), 0);
        release(lock);
        CHECK_IS(pthread_rwlock_trywrlock(lock), EBUSY);
        CHECK_IS(timed_write_short(lock), ETIMEDOUT);
        CHECK_IS(ask_peer(PEER_UNLOCK), 0);
        CHECK_IS(ask_peer(PEER_TRY_WRITE), 0);
        CHECK_IS(pthread_rwlock_tryrdlock(lock), EBUSY);
        CHECK_IS(actor_do(&other, timed_read_short, lock), ETIMEDOUT);
        CHECK_IS(ask_peer(PEER_UNLOCK), 0);
        lock_warm(lock);
    }
    close(to_peer[1]);
    CHECK_IS(check_collect(pid), 0);
    close(from_peer[0]);
    close(from_peer[1]);
}

static void by_init_and_by_bytes(void)
{
    static const pthread_rwlock_t initialiser = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
    pthread_rwlock_t *lock = check_shared(sizeof(*lock));

    for (int i = 0; i < ROUNDS; i++) {
        memset(lock, 0, sizeof(*lock));
        lock_warm(lock);
        lock_init(lock, KIND_2, PTHREAD_PROCESS_PRIVATE);
        check_kind_2(lock);
        memset(lock, 0, sizeof(*lock));
        lock_warm(lock);
        memcpy(lock, &initialiser, sizeof(*lock));
        check_kind_2(lock);
        memset(lock, 0, sizeof(*lock));
        lock_warm(lock);
        lock_init(lock, i % 3, PTHREAD_PROCESS_SHARED);
        check_shared_with_peer(lock);
    }
}

static int initialise_there(void *page)
{
    lock_init(page, PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_PROCESS_SHARED);
    return 0;
}

static void by_mapping(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int fd = file_to_map(O_CLOEXEC);
    void *shared,
        *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(at != MAP_FAILED, "mmap: %s", strerror(errno));
    CHECK_CALL(ftruncate(fd, (off_t)page));
    shared = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(shared != MAP_FAILED, "mmap: %s", strerror(errno));
    CHECK_IS(check_in_child(initialise_there, shared), 0);
    for (int i = 0; i < ROUNDS; i++) {
        lock_warm(at);
        CHECK(mmap(at, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == at,
              "mmap over the lock: %s", strerror(errno));
        check_shared_with_peer(at);
        CHECK(mmap(at, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                   0) == at,
              "mmap over the lock: %s", strerror(errno));
    }
}

int main(void)
{
    locks_deadline();
    actor_start(&other);
    actor_start(&waiter);
    by_init_and_by_bytes();
    by_mapping();
    return 0;
}
