// SPDX-License-Identifier: MIT
// Two read locks are given back at the same time: one of the two threads goes through its unlock
// instruction by instruction, and at each of them, once, the other does all of its own. Then
// nobody holds the lock. One is an owner; who the other is the tests say.
#ifndef RELEASES_H
#define RELEASES_H

#include "steps.h"

struct release {
    const char *name;
    bool they_step; // or the owner does
    int warm_reads; // before the owner took it; 0: libc's lock counts the owner
};

enum { RELEASES = 4 };

static const struct release releases[RELEASES] = {
    {"theirs, beside a first reader's", true, 0},
    {"theirs, beside a reader's", true, 1500},
    {"a first reader's, beside theirs", false, 0},
    {"a reader's, beside theirs", false, 1500},
};

static pthread_rwlock_t releases_lock;
static struct actor releases_owner; // the owner, where they step
static const struct release *releases_now;
static pthread_t releases_them;
static sem_t releases_ready, releases_go;
static bool releases_asked;
static long releases_steps;

static inline void releases_give_back(void *unused)
{
    (void)unused;
    CHECK_IS(pthread_rwlock_unlock(&releases_lock), 0);
    steps_stop();
}

static inline void releases_by_the_other(void)
{
    if (releases_now->they_step) {
        CHECK_IS(actor_do(&releases_owner, pthread_rwlock_unlock, &releases_lock), 0);
    } else {
        CHECK_IS(sem_post(&releases_go), 0);
        check_join(releases_them);
    }
}

static inline void releases_visit(long step)
{
    if (step < steps_moment)
        return;
    releases_asked = true;
    releases_by_the_other();
    steps_stop();
}

// They are about to give back what they, or somebody, took.
static inline void releases_theirs(void)
{
    if (releases_now->they_step) {
        releases_steps = steps_run(releases_give_back, NULL, releases_visit);
        return;
    }
    CHECK_IS(sem_post(&releases_ready), 0);
    while (sem_wait(&releases_go) != 0) {
    }
    CHECK_IS(pthread_rwlock_unlock(&releases_lock), 0);
}

// The owner takes the lock, then they begin: a thread that takes it, too, or for which somebody
// does, and that comes to releases_theirs() before it is gone.
static inline long releases_try(int which, void *(*begin)(void *))
{
    int error;

    releases_now = &releases[which];
    releases_asked = false;
    read_times(&releases_lock, releases_now->warm_reads);
    if (releases_now->they_step)
        CHECK_IS(actor_do(&releases_owner, pthread_rwlock_rdlock, &releases_lock), 0);
    else
        CHECK_IS(pthread_rwlock_rdlock(&releases_lock), 0);
    releases_them = check_thread(begin, NULL);
    if (releases_now->they_step) {
        check_join(releases_them);
    } else {
        while (sem_wait(&releases_ready) != 0) {
        }
        releases_steps = steps_run(releases_give_back, NULL, releases_visit);
    }
    if (!releases_asked)
        releases_by_the_other();
    error = pthread_rwlock_trywrlock(&releases_lock);
    CHECK(error == 0, "%s, step %ld: nobody holds the lock, trywrlock gives %d", releases_now->name,
          steps_moment, error);
    release(&releases_lock);
    return releases_steps;
}

static inline int releases_main(long (*try_moment)(int which))
{
    CHECK_IS(sem_init(&releases_ready, 0, 0), 0);
    CHECK_IS(sem_init(&releases_go, 0, 0), 0);
    return steps_main(&releases_owner, try_moment, RELEASES);
}

#endif
