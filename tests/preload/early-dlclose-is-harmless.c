// SPDX-License-Identifier: MIT
// A program that loads the library itself, and closes it again while there are fork handlers,
// thread-exit destructors and pointers into it.
// claim: dlopen, use in a thread, dlclose, fork, thread exit, exit: nothing runs into missing code
// plain
#include "lib/plain.h"
#include "lib/pool.h"
#include <dlfcn.h>

static struct pool *pool;
static ssize_t (*get)(void *, size_t, unsigned);
static int (*lock_read)(pthread_rwlock_t *), (*unlock)(pthread_rwlock_t *);
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t step_done;

static void *find(void *library, const char *name)
{
    void *found = dlsym(library, name);

    CHECK(found, "dlsym of %s: %s", name, dlerror());
    return found;
}

static void draw_and_lock(int letter, unsigned number)
{
    uint8_t drawn[200];

    CHECK_IS(get(drawn, sizeof(drawn), 0), sizeof(drawn));
    pool_add(pool, POOL_PARTY(letter, number), drawn, sizeof(drawn));
    CHECK_IS(lock_read(&lock), 0);
    CHECK_IS(unlock(&lock), 0);
}

// Has state when the library is closed, and gives it up afterwards.
static void *thread_main(void *number)
{
    draw_and_lock('t', (unsigned)(uintptr_t)number);
    pthread_barrier_wait(&step_done);
    pthread_barrier_wait(&step_done);
    draw_and_lock('u', (unsigned)(uintptr_t)number);
    return NULL;
}

static void open_and_close(const char *path, unsigned round)
{
    void *library = dlopen(path, RTLD_NOW | (round % 2 ? RTLD_GLOBAL : RTLD_LOCAL));
    pthread_t thread;
    pid_t pid;

    CHECK(library, "dlopen: %s", dlerror());
    *(void **)&get = find(library, "getrandom");
    *(void **)&lock_read = find(library, "pthread_rwlock_rdlock");
    *(void **)&unlock = find(library, "pthread_rwlock_unlock");
    draw_and_lock('m', round);
    thread = check_thread(thread_main, (void *)(uintptr_t)round);
    pthread_barrier_wait(&step_done);
    CHECK_IS(dlclose(library), 0);
    pid = CHECK_CALL(fork());
    if (pid == 0) {
        check_deadline(10);
        draw_and_lock('c', round);
        exit(CHECK_PASS);
    }
    draw_and_lock('p', round);
    pthread_barrier_wait(&step_done);
    check_join(thread);
    CHECK_IS(check_collect(pid), CHECK_PASS);
}

int main(void)
{
    const char *path = plain_library();

    check_deadline(20);
    pool = pool_new(1 << 17);
    CHECK_IS(pthread_barrier_init(&step_done, NULL, 2), 0);
    for (unsigned round = 0; round < 20; round++)
        open_and_close(path, round);
    pool_unique(pool);
    return CHECK_PASS;
}
