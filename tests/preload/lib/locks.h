// SPDX-License-Identifier: MIT
// What the tests of pthread_rwlock share: every form of taking a lock by name, a thread that does
// one thing at a time and can be seen to block, locks that many threads have read, counters that
// only a broken lock lets disagree. Blocking is seen by the state of the thread, not by a time that
// passed. Works in C and C++; must not need any symbol but libc's.
#ifndef LOCKS_H
#define LOCKS_H

#include "check.h"

#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>

#define LOCKS_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static inline struct timespec time_after(clockid_t clock, long microseconds)
{
    struct timespec at;

    CHECK_IS(clock_gettime(clock, &at), 0);
    at.tv_sec += microseconds / 1000000;
    at.tv_nsec += microseconds % 1000000 * 1000;
    if (at.tv_nsec < 0 || at.tv_nsec >= 1000000000) {
        long over = at.tv_nsec < 0 ? -1 : 1;

        at.tv_sec += over;
        at.tv_nsec -= over * 1000000000;
    }
    return at;
}

// At the start of a test: from then on a hang is a failure that says so.
static inline void locks_deadline(void)
{
    check_deadline((unsigned)check_count(25, 850));
}

// Repetitions that only make a fault more likely to be seen end by this: after the processor time
// that they are worth, or, on a machine that is too busy to give it, in time for the deadline.
static inline bool time_is_up(void)
{
    static time_t first;
    struct timespec worked = time_after(CLOCK_PROCESS_CPUTIME_ID, 0);
    struct timespec now = time_after(CLOCK_MONOTONIC, 0);
    time_t began = __atomic_load_n(&first, __ATOMIC_RELAXED);

    if (began == 0)
        __atomic_store_n(&first, began = now.tv_sec, __ATOMIC_RELAXED);
    return worked.tv_sec >= check_count(2, 1200) || now.tv_sec - began >= check_count(6, 700);
}

enum { LONG_WAIT = 3600 * 1000000L };

static inline int timed_read(pthread_rwlock_t *lock, long microseconds)
{
    struct timespec at = time_after(CLOCK_REALTIME, microseconds);

    return pthread_rwlock_timedrdlock(lock, &at);
}

static inline int timed_write(pthread_rwlock_t *lock, long microseconds)
{
    struct timespec at = time_after(CLOCK_REALTIME, microseconds);

    return pthread_rwlock_timedwrlock(lock, &at);
}

static inline int clock_read(pthread_rwlock_t *lock, clockid_t clock, long microseconds)
{
    struct timespec at = time_after(clock, microseconds);

    return pthread_rwlock_clockrdlock(lock, clock, &at);
}

static inline int clock_write(pthread_rwlock_t *lock, clockid_t clock, long microseconds)
{
    struct timespec at = time_after(clock, microseconds);

    return pthread_rwlock_clockwrlock(lock, clock, &at);
}

static inline int timed_read_long(pthread_rwlock_t *lock)
{
    return timed_read(lock, LONG_WAIT);
}

static inline int realtime_read_long(pthread_rwlock_t *lock)
{
    return clock_read(lock, CLOCK_REALTIME, LONG_WAIT);
}

static inline int monotonic_read_long(pthread_rwlock_t *lock)
{
    return clock_read(lock, CLOCK_MONOTONIC, LONG_WAIT);
}

static inline int timed_write_long(pthread_rwlock_t *lock)
{
    return timed_write(lock, LONG_WAIT);
}

static inline int realtime_write_long(pthread_rwlock_t *lock)
{
    return clock_write(lock, CLOCK_REALTIME, LONG_WAIT);
}

static inline int monotonic_write_long(pthread_rwlock_t *lock)
{
    return clock_write(lock, CLOCK_MONOTONIC, LONG_WAIT);
}

static inline int timed_read_short(pthread_rwlock_t *lock)
{
    return timed_read(lock, 50);
}

static inline int monotonic_read_short(pthread_rwlock_t *lock)
{
    return clock_read(lock, CLOCK_MONOTONIC, 50);
}

static inline int timed_write_short(pthread_rwlock_t *lock)
{
    return timed_write(lock, 50);
}

static inline int monotonic_write_short(pthread_rwlock_t *lock)
{
    return clock_write(lock, CLOCK_MONOTONIC, 50);
}

typedef int lock_function(pthread_rwlock_t *);

struct form {
    const char *name;
    lock_function *take;
};

// The first BLOCKING_FORMS of each wait until the lock is theirs; the others may return EBUSY or
// ETIMEDOUT.
enum { BLOCKING_FORMS = 4, FORMS = 7 };

static const struct form read_forms[FORMS] = {
    {"rdlock", pthread_rwlock_rdlock},
    {"timedrdlock", timed_read_long},
    {"clockrdlock realtime", realtime_read_long},
    {"clockrdlock monotonic", monotonic_read_long},
    {"tryrdlock", pthread_rwlock_tryrdlock},
    {"timedrdlock short", timed_read_short},
    {"clockrdlock short", monotonic_read_short},
};

static const struct form write_forms[FORMS] = {
    {"wrlock", pthread_rwlock_wrlock},
    {"timedwrlock", timed_write_long},
    {"clockwrlock realtime", realtime_write_long},
    {"clockwrlock monotonic", monotonic_write_long},
    {"trywrlock", pthread_rwlock_trywrlock},
    {"timedwrlock short", timed_write_short},
    {"clockwrlock short", monotonic_write_short},
};

static inline void take_by(const struct form *form, pthread_rwlock_t *lock)
{
    for (;;) {
        int error = form->take(lock);

        if (error == 0)
            return;
        CHECK(error == EBUSY || error == ETIMEDOUT, "%s: %s", form->name, strerror(error));
        sched_yield();
    }
}

static inline void release(pthread_rwlock_t *lock)
{
    CHECK_IS(pthread_rwlock_unlock(lock), 0);
}

static inline uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static inline void read_by_any(pthread_rwlock_t *lock, uint32_t *random)
{
    take_by(&read_forms[next_random(random) % FORMS], lock);
}

static inline void write_by_any(pthread_rwlock_t *lock, uint32_t *random)
{
    take_by(&write_forms[next_random(random) % FORMS], lock);
}

// Work outside any lock. Readers that never pause starve the writers of a lock that prefers
// readers.
static inline void think(int steps)
{
    for (volatile int i = 0; i < steps; i++) {
    }
}

static inline void lock_init(pthread_rwlock_t *lock, int kind, int shared)
{
    pthread_rwlockattr_t attributes;

    CHECK_IS(pthread_rwlockattr_init(&attributes), 0);
    CHECK_IS(pthread_rwlockattr_setkind_np(&attributes, kind), 0);
    CHECK_IS(pthread_rwlockattr_setpshared(&attributes, shared), 0);
    CHECK_IS(pthread_rwlock_init(lock, &attributes), 0);
    CHECK_IS(pthread_rwlockattr_destroy(&attributes), 0);
}

// Reads by two threads at the same time, so that a lock whose readers can be made faster has
// become such a lock.
enum { WARM_READS = 5000 };

static inline void read_times(pthread_rwlock_t *lock, int times)
{
    for (int i = 0; i < times; i++) {
        CHECK_IS(pthread_rwlock_rdlock(lock), 0);
        release(lock);
    }
}

// Holds it then, by the fast path if there is one.
static inline int warm_and_hold(pthread_rwlock_t *lock)
{
    read_times(lock, WARM_READS);
    return pthread_rwlock_rdlock(lock);
}

static inline void *warm_half(void *lock)
{
    read_times((pthread_rwlock_t *)lock, WARM_READS);
    return NULL;
}

static inline void lock_warm(pthread_rwlock_t *lock)
{
    pthread_t other = check_thread(warm_half, lock);

    warm_half(lock);
    check_join(other);
}

// Two words that only writers change, always both. Whoever holds the lock sees them equal.
struct guarded {
    pthread_rwlock_t lock;
    volatile long first;
    char apart[128];
    volatile long second;
};

static inline void guarded_look(const struct guarded *it)
{
    long second = it->second;
    long first = it->first;

    CHECK(first == second, "a reader saw a writer's half-done work: %ld and %ld", first, second);
    CHECK_IS(it->second, second);
}

static inline void guarded_change(struct guarded *it)
{
    long was = it->first;

    it->first = was + 1;
    for (int i = 0; i < 20; i++)
        CHECK_IS(it->second, was);
    it->second = was + 1;
    CHECK_IS(it->first, was + 1);
}

// A thread that does what it is asked, one thing at a time. Static: it goes on waiting when main
// has returned, and would take what exit writes to main's stack for a job.
struct actor {
    pthread_t thread;
    pid_t tid;
    sem_t asked, answered;
    lock_function *job;
    pthread_rwlock_t *lock;
    int result;
    int inside, done; // atomic: the job was begun, was ended
};

static inline void *actor_main(void *arg)
{
    struct actor *self = (struct actor *)arg;

    self->tid = (pid_t)syscall(SYS_gettid);
    for (;;) {
        sem_post(&self->answered);
        while (sem_wait(&self->asked) != 0) {
        }
        __atomic_store_n(&self->inside, 1, __ATOMIC_SEQ_CST);
        self->result = self->job(self->lock);
        __atomic_store_n(&self->done, 1, __ATOMIC_SEQ_CST);
    }
    return NULL; // C++ asks for it
}

static inline int actor_answer(struct actor *self)
{
    while (sem_wait(&self->answered) != 0) {
    }
    return self->result;
}

static inline void actor_start(struct actor *self)
{
    memset(self, 0, sizeof(*self));
    CHECK_IS(sem_init(&self->asked, 0, 0), 0);
    CHECK_IS(sem_init(&self->answered, 0, 0), 0);
    self->thread = check_thread(actor_main, self);
    actor_answer(self);
}

static inline void actor_ask(struct actor *self, lock_function *job, pthread_rwlock_t *lock)
{
    self->job = job;
    self->lock = lock;
    self->inside = self->done = 0;
    sem_post(&self->asked);
}

static inline int actor_do(struct actor *self, lock_function *job, pthread_rwlock_t *lock)
{
    actor_ask(self, job, lock);
    return actor_answer(self);
}

static inline bool thread_sleeps(pid_t tid)
{
    char path[64], text[256];
    int fd;
    ssize_t size;
    const char *name_end;

    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
    fd = CHECK_CALL(open(path, O_RDONLY | O_CLOEXEC));
    size = CHECK_CALL(read(fd, text, sizeof(text) - 1));
    close(fd);
    text[size] = '\0';
    name_end = strrchr(text, ')');
    CHECK(name_end && name_end[1] == ' ', "%s: %s", path, text);
    return name_end[2] == 'S';
}

// Wait until a thread of this process sleeps and goes on sleeping.
static inline void until_asleep(pid_t tid)
{
    const struct timespec pause = {0, 200000};

    for (int asleep = 0; asleep < 8; asleep = thread_sleeps(tid) ? asleep + 1 : 0)
        nanosleep(&pause, NULL);
}

// Wait until the job was done (false) or its thread sleeps inside it and goes on sleeping (true).
static inline bool actor_blocks(struct actor *self)
{
    const struct timespec pause = {0, 200000};

    for (int asleep = 0; asleep < 8;) {
        bool inside = __atomic_load_n(&self->inside, __ATOMIC_SEQ_CST);
        bool sleeps = thread_sleeps(self->tid);

        if (__atomic_load_n(&self->done, __ATOMIC_SEQ_CST))
            return false;
        asleep = inside && sleeps ? asleep + 1 : 0;
        nanosleep(&pause, NULL);
    }
    return true;
}

#define CHECK_BLOCKS(actor, what)                                                                  \
    do {                                                                                           \
        if (!actor_blocks(actor))                                                                  \
            FAIL("%s: expected to block, returned %d", what, (actor)->result);                     \
    } while (0)

#endif
