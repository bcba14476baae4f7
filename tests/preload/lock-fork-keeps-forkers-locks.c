// SPDX-License-Identifier: MIT
// claim: a child can give back what the forking thread held, and the parent still holds it
// matrix: locks
#include "lib/locks.h"

#include "lib/forks.h"

static pthread_rwlock_t lock, second;
static struct actor other;

struct held {
    const struct fork_way *way;
    int depth;
    bool writes;
};

static int child_of_reader(void *arg)
{
    const struct held *held = arg;

    CHECK_IS(pthread_rwlock_trywrlock(&lock), EBUSY);
    CHECK_IS(timed_write_short(&lock), ETIMEDOUT);
    for (int i = 0; i < FORMS; i++) {
        CHECK_IS(read_forms[i].take(&lock), 0);
        release(&lock);
    }
    release(&second);
    CHECK_IS(pthread_rwlock_wrlock(&second), 0);
    for (int i = held->depth; i > 0; i--) {
        CHECK_IS(pthread_rwlock_trywrlock(&lock), EBUSY);
        release(&lock);
    }
    for (int i = 0; i < FORMS; i++) {
        CHECK_IS(write_forms[i].take(&lock), 0);
        release(&lock);
    }
    lock_init(&lock, PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_PROCESS_PRIVATE);
    CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
    return 0;
}

// glibc knows a writer by its thread id: a child that got another one cannot unlock.
static int child_of_writer(void *arg)
{
    const struct held *held = arg;

    CHECK_IS(pthread_rwlock_tryrdlock(&lock), EBUSY);
    CHECK_IS(pthread_rwlock_trywrlock(&lock), EBUSY);
    if (held->way->keeps_tid) {
        release(&lock);
        CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
    }
    lock_init(&lock, PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_PROCESS_PRIVATE);
    CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
    release(&lock);
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    return 0;
}

static void fork_while_held(const struct held *held)
{
    int status;

    lock_warm(&lock);
    lock_warm(&second);
    CHECK_IS(pthread_rwlock_rdlock(&second), 0);
    for (int i = 0; i < held->depth; i++)
        CHECK_IS((held->writes ? pthread_rwlock_wrlock : pthread_rwlock_rdlock)(&lock), 0);
    status = fork_and_run(held->way, held->writes ? child_of_writer : child_of_reader,
                          (void *)(uintptr_t)held);
    CHECK(status == 0, "%s, %s %d times: the child ended with %d", held->way->name,
          held->writes ? "written" : "read", held->depth, status);
    for (int i = 0; i < held->depth; i++) {
        CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, &lock), EBUSY);
        release(&lock);
    }
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, &second), EBUSY);
    release(&second);
    CHECK_IS(actor_do(&other, pthread_rwlock_trywrlock, &lock), 0);
    CHECK_IS(actor_do(&other, pthread_rwlock_unlock, &lock), 0);
}

static void *fork_in_all_ways(void *arg)
{
    (void)arg;
    for (int w = 0; w < FORK_WAYS; w++) {
        for (int depth = 1; depth <= 3; depth++) {
            struct held held = {&fork_ways[w], depth, false};

            fork_while_held(&held);
        }
        fork_while_held(&(struct held){&fork_ways[w], 1, true});
    }
    return NULL;
}

int main(void)
{
    locks_deadline();
    actor_start(&other);
    fork_in_all_ways(NULL);
    check_join(check_thread(fork_in_all_ways, NULL));
    return 0;
}
