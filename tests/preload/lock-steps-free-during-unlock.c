// SPDX-License-Identifier: MIT
// claim: when the next owner frees a lock at any instruction of an unlock, nothing touches it then
// matrix: steps
//
// One thread gives the lock back instruction by instruction. Between two of them, each pair once,
// the other tries to take it. If it got it, it gives it back, destroys it or not, and takes the
// page away; an access by the rest of the unlock ends in SIGSEGV.
#include "lib/steps.h"

static const struct encounter {
    const char *name;
    lock_function *take;
    int times, warm_reads;
    bool destroys;
} encounters[] = {
    {"read", pthread_rwlock_rdlock, 1, 1500, false},
    {"read, destroyed", pthread_rwlock_rdlock, 1, 1500, true},
    {"read twice", pthread_rwlock_rdlock, 2, 1500, false},
    {"written", pthread_rwlock_wrlock, 1, 1500, false},
    {"written, destroyed", pthread_rwlock_wrlock, 1, 0, true},
    {"read 1st", pthread_rwlock_rdlock, 1, 0, false},
    {"read 3rd", pthread_rwlock_rdlock, 1, 2, true},
};

static const struct encounter *now;
static pthread_rwlock_t *lock;
static size_t page;
static struct actor other;
static int freed_at_moment;

static int free_if_mine(pthread_rwlock_t *it)
{
    int error = pthread_rwlock_trywrlock(it);

    if (error)
        return error;
    release(it);
    if (now->destroys)
        CHECK_IS(pthread_rwlock_destroy(it), 0);
    CHECK_CALL(mprotect(it, page, PROT_NONE));
    return 0;
}

static void give_back(void *unused)
{
    (void)unused;
    for (int i = 0; i < now->times; i++)
        CHECK_IS(pthread_rwlock_unlock(lock), 0);
    steps_stop();
}

static void visit(long step)
{
    if (step < steps_moment)
        return;
    int error = actor_do(&other, free_if_mine, lock);

    CHECK(error == 0 || error == EBUSY, "%s: %d", now->name, error);
    freed_at_moment += error == 0;
    steps_stop();
}

static void touched(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    FAIL("%s: freed at step %ld, touched afterwards at its byte %ld", now->name, steps_moment,
         (long)((char *)info->si_addr - (char *)lock));
}

static long try_moment(int which)
{
    long steps;

    now = &encounters[which];
    CHECK_CALL(mprotect(lock, page, PROT_READ | PROT_WRITE));
    CHECK_IS(pthread_rwlock_init(lock, NULL), 0);
    read_times(lock, now->warm_reads);
    for (int i = 0; i < now->times; i++)
        CHECK_IS(now->take(lock), 0);
    steps = steps_run(give_back, NULL, visit);
    return steps;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = touched, .sa_flags = SA_SIGINFO};

    locks_deadline();
    CHECK_CALL(sigaction(SIGSEGV, &action, NULL));
    page = (size_t)sysconf(_SC_PAGESIZE);
    lock = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(lock != MAP_FAILED, "mmap: %s", strerror(errno));
    actor_start(&other);
    steps_explore(try_moment, LOCKS_COUNT(encounters));
    CHECK(freed_at_moment > 0, "at no moment the lock was free before the unlock had ended");
    return 0;
}
