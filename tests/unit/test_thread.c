// SPDX-License-Identifier: MIT
// thread.c: records are found, reused with their counts, kept as ghosts, emptied in a fork's child.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "thread.h"
#include "wipe.h"

enum { MANY = 600 };

static uint32_t last_index;

static void *count_once(void *unused)
{
    struct uc_thread *t = uc_thread_self();
    last_index = t->index;
    uc_stat_add(t, UC_STAT_GETRANDOM, 1);
    return unused;
}

static void run(void *(*fn)(void *))
{
    pthread_t p;
    assert_int_equal(pthread_create(&p, NULL, fn, NULL), 0);
    assert_int_equal(pthread_join(p, NULL), 0);
}

static uint64_t sum(enum uc_stat stat)
{
    uint64_t total = uncontend_root.shared.stat[stat];
    for (uint32_t i = 0; i < uc_thread_high(); i++)
        total += uc_thread_at(i)->block.stat[stat];
    return total;
}

static void test_a_record_is_reused_and_its_counts_stay(void **state)
{
    (void)state;
    uint64_t before = sum(UC_STAT_GETRANDOM);
    run(count_once);
    uint32_t first = last_index;
    run(count_once);
    assert_int_equal(last_index, first);
    assert_int_equal(sum(UC_STAT_GETRANDOM), before + 2);
}

static pthread_barrier_t all_there;

static void *wait_for_all(void *seen)
{
    struct uc_thread *t = uc_thread_self();
    if (t)
        __atomic_fetch_add(&((char *)seen)[t->index], 1, __ATOMIC_RELAXED);
    pthread_barrier_wait(&all_there);
    return t;
}

static void test_many_threads_have_records_of_their_own(void **state)
{
    (void)state;
    static pthread_t p[MANY];
    static char seen[MANY + 16];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    pthread_barrier_init(&all_there, NULL, MANY);
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(pthread_create(&p[i], &small, wait_for_all, seen), 0);
    for (size_t i = 0; i < MANY; i++) {
        void *record;
        pthread_join(p[i], &record);
        assert_non_null(record);
    }
    for (size_t i = 0; i < sizeof seen; i++)
        assert_true(seen[i] <= 1);
}

static bool keep_if_held(struct uc_thread *t)
{
    return t->held[0].depth > 0;
}

static void *leave_held(void *unused)
{
    struct uc_thread *t = uc_thread_self();
    last_index = t->index;
    t->held[0].lock = 0x1000;
    t->held[0].depth = 1;
    return unused;
}

static void test_a_record_with_held_locks_waits_for_its_burial(void **state)
{
    (void)state;
    run(leave_held);
    struct uc_thread *ghost = uc_thread_at(last_index);
    assert_int_equal(ghost->life, UC_LIFE_GHOST);
    uint32_t taken = ghost->index;
    run(count_once);
    assert_int_not_equal(last_index, taken);
    ghost->held[0].lock = 0;
    ghost->held[0].depth = 0;
    uc_thread_bury(ghost);
    uc_thread_bury(ghost); // a second burier changes nothing
    run(count_once);
    assert_int_equal(last_index, taken);
    run(count_once);
    assert_int_equal(last_index, taken);
}

static void test_a_claimed_ghost_is_nobody_elses(void **state)
{
    (void)state;
    run(leave_held);
    struct uc_thread *ghost = uc_thread_at(last_index);
    uint32_t when, others;
    assert_true(uc_thread_claim(ghost, &when));
    assert_false(uc_thread_claim(ghost, &others));
    ghost->held[0].depth = 0;
    uc_thread_bury(ghost);
    run(count_once);
    assert_int_not_equal(last_index, ghost->index);
    ghost->held[0].lock = 0;
    uc_thread_disclaim(ghost, when);
    run(count_once);
    assert_int_equal(last_index, ghost->index);
    assert_false(uc_thread_claim(ghost, &others));
}

// In the child: a bit for each thing that is wrong. cmocka's asserts must not be used there.
static int child_faults(struct uc_thread *self, struct uc_thread *other)
{
    int faults = 0;
    uc_thread_notice_fork();
    if (uc_tls.thread != self || self->held[1].depth != 3)
        faults |= 1;
    if (other->held[0].depth != 0 || other->life != UC_LIFE_FREE)
        faults |= 2;
    if (sum(UC_STAT_GETRANDOM) != 0 || sum(UC_STAT_FORKS) != 1)
        faults |= 4;
    if (uncontend_root.pid != (uint32_t)getpid())
        faults |= 8;
    return faults;
}

static void check_fork(pid_t (*make_child)(void))
{
    struct uc_thread *self = uc_thread_self();
    self->held[1].lock = 0x2000;
    self->held[1].depth = 3;
    run(leave_held);
    struct uc_thread *ghost = uc_thread_at(last_index);
    uc_stat_add(self, UC_STAT_GETRANDOM, 5);
    pid_t pid = make_child();
    if (pid == 0)
        _exit(child_faults(self, ghost));
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(ghost->life, UC_LIFE_GHOST);
    ghost->held[0].lock = 0;
    ghost->held[0].depth = 0;
    uc_thread_bury(ghost);
    self->held[1].lock = 0;
    self->held[1].depth = 0;
}

static void test_a_child_of_fork_keeps_its_own_record_alone(void **state)
{
    (void)state;
    check_fork(fork);
}

static void test_a_child_that_no_handler_was_told_of_notices(void **state)
{
    (void)state;
    if (!uc_wipe_works())
        skip();
    check_fork(_Fork);
}

static int start(void **state)
{
    (void)state;
    (void)uc_wipe_start();
    uc_thread_on_exit(keep_if_held);
    return uc_thread_start();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_record_is_reused_and_its_counts_stay),
        cmocka_unit_test(test_many_threads_have_records_of_their_own),
        cmocka_unit_test(test_a_record_with_held_locks_waits_for_its_burial),
        cmocka_unit_test(test_a_claimed_ghost_is_nobody_elses),
        cmocka_unit_test(test_a_child_of_fork_keeps_its_own_record_alone),
        cmocka_unit_test(test_a_child_that_no_handler_was_told_of_notices),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
