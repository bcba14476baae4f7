// SPDX-License-Identifier: MIT
// claim: locks in cancelled threads, signal handlers and thread-exit destructors do as glibc's do
// compare
// matrix: locks
// waits
//
// Prints, for each kind and form, what the waiter got and what the handler, the cleanup and the
// destructors got after it.
#include "lib/locks.h"

enum { TURNS = 3 };

static pthread_rwlock_t lock;
static struct actor holder, waiter;
static pthread_key_t key;
static int in_handler[3];
static sem_t handled, started;

static int take_and_give(lock_function *take)
{
    int error = take(&lock);

    if (error == 0)
        release(&lock);
    return error;
}

static void handle(int number)
{
    int saved = errno;

    (void)number;
    in_handler[0] = take_and_give(pthread_rwlock_tryrdlock);
    in_handler[1] = take_and_give(pthread_rwlock_trywrlock);
    in_handler[2] = take_and_give(monotonic_read_short);
    sem_post(&handled);
    errno = saved;
}

static void print_signal(const char *hold_name, lock_function *hold, const struct form *form)
{
    CHECK_IS(actor_do(&holder, hold, &lock), 0);
    actor_ask(&waiter, form->take, &lock);
    printf("%s under %s: blocks %d", form->name, hold_name, actor_blocks(&waiter));
    if (!__atomic_load_n(&waiter.done, __ATOMIC_SEQ_CST)) {
        CHECK_IS(pthread_kill(waiter.thread, SIGUSR2), 0);
        while (sem_wait(&handled) != 0) {
        }
        printf(", handler %d %d %d", in_handler[0], in_handler[1], in_handler[2]);
        printf(", still blocks %d", actor_blocks(&waiter));
    }
    CHECK_IS(actor_do(&holder, pthread_rwlock_unlock, &lock), 0);
    printf(", gets %d", actor_answer(&waiter));
    printf(", unlock %d\n", actor_do(&waiter, pthread_rwlock_unlock, &lock));
}

static void print_cleanup(void *arg)
{
    printf("%s: cleanup: read %d", (const char *)arg, take_and_give(pthread_rwlock_tryrdlock));
    printf(", write %d", take_and_give(pthread_rwlock_trywrlock));
    printf(", unlock %d", pthread_rwlock_unlock(&lock));
    printf(", write %d\n", take_and_give(pthread_rwlock_trywrlock));
}

static void *be_cancelled(void *arg)
{
    const struct form *form = arg;

    pthread_cleanup_push(print_cleanup, (void *)(uintptr_t)form->name);
    CHECK_IS(pthread_cancel(pthread_self()), 0);
    CHECK_IS(form->take(&lock), 0);
    sem_post(&started);
    pthread_testcancel();
    pthread_cleanup_pop(0);
    return NULL;
}

static void print_cancel(const struct form *form)
{
    pthread_t thread = check_thread(be_cancelled, (void *)(uintptr_t)form);
    void *result = check_join(thread);

    printf("%s: cancelled %d, had the lock %d\n", form->name, result == PTHREAD_CANCELED,
           sem_trywait(&started) == 0);
}

static void destroy(void *value)
{
    intptr_t turn = (intptr_t)value;

    printf("turn %d: read %d", (int)turn, pthread_rwlock_rdlock(&lock));
    printf(" %d", pthread_rwlock_tryrdlock(&lock));
    printf(", write %d", pthread_rwlock_trywrlock(&lock));
    printf(", unlock %d", pthread_rwlock_unlock(&lock));
    printf(" %d", pthread_rwlock_unlock(&lock));
    printf(", write %d", pthread_rwlock_wrlock(&lock));
    printf(", read %d", pthread_rwlock_rdlock(&lock));
    printf(", unlock %d\n", pthread_rwlock_unlock(&lock));
    if (turn < TURNS)
        CHECK_IS(pthread_setspecific(key, (void *)(turn + 1)), 0);
    else
        CHECK_IS(pthread_rwlock_rdlock(&lock), 0); // its thread never gives it back
}

static void *end_thread(void *arg)
{
    CHECK_IS(take_and_give(pthread_rwlock_rdlock), 0);
    CHECK_IS(pthread_setspecific(key, (void *)(intptr_t)1), 0);
    return arg;
}

static void print_exit(void)
{
    check_join(check_thread(end_thread, NULL));
    printf("after the thread: write %d", take_and_give(pthread_rwlock_trywrlock));
    printf(", unlock %d", pthread_rwlock_unlock(&lock));
    printf(", write %d\n", take_and_give(pthread_rwlock_trywrlock));
}

int main(void)
{
    struct sigaction action = {.sa_handler = handle};

    locks_deadline();
    CHECK_CALL(sigaction(SIGUSR2, &action, NULL));
    CHECK_IS(pthread_key_create(&key, destroy), 0);
    CHECK_IS(sem_init(&handled, 0, 0), 0);
    CHECK_IS(sem_init(&started, 0, 0), 0);
    actor_start(&holder);
    actor_start(&waiter);
    for (int kind = 0; kind < 3; kind++) {
        printf("kind %d\n", kind);
        lock_init(&lock, kind, PTHREAD_PROCESS_PRIVATE);
        lock_warm(&lock);
        for (int i = 0; i < BLOCKING_FORMS; i++) {
            print_signal("read lock", pthread_rwlock_rdlock, &read_forms[i]);
            print_signal("read lock", pthread_rwlock_rdlock, &write_forms[i]);
            print_signal("write lock", pthread_rwlock_wrlock, &read_forms[i]);
            print_signal("write lock", pthread_rwlock_wrlock, &write_forms[i]);
            lock_warm(&lock);
            print_cancel(&read_forms[i]);
            print_cancel(&write_forms[i]);
            lock_warm(&lock);
            print_exit();
        }
    }
    return 0;
}
