// SPDX-License-Identifier: MIT
// A handler forks after each single instruction of ours in a thread's first lock, which is when it
// gets its record, and in a thread's end, which is when it gives the record back. The child uses
// the library in the handler and returns; then several threads of it draw and stay. Two that had
// one record would draw from one state at once, and take each other's read locks for their own.
// claim: no child that was forked while a record changed hands gives one record to two threads
// time: 120
// run: UNCONTEND_RANDOM=drbg
// run: UNCONTEND_RANDOM=vdso with=wipe-einval
#include "lib/step.h"

#include <link.h>
#include <stdbool.h>
#include <sys/random.h>

#include "lib/dump.h"
#include "lib/forks.h"

enum { THREADS = 2, MOST_RECORDS = 256 };

static struct {
    uintptr_t start, end;
} ours; // the library's memory
static pthread_barrier_t met;
static const struct fork_way *way;
static pthread_t forker;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_key_t key; // younger than the library's: its destructor runs after
static long moment;       // which instruction of ours to fork after
static long seen;
static bool leaving;
static volatile pid_t child; // -1: not yet

static int find_ours(struct dl_phdr_info *info, size_t size, void *root)
{
    (void)size;
    uintptr_t start = info->dlpi_addr, end = start;

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];

        if (p->p_type == PT_LOAD && start + p->p_vaddr + p->p_memsz > end)
            end = start + p->p_vaddr + p->p_memsz;
    }
    if ((uintptr_t)root < start || (uintptr_t)root >= end)
        return 0;
    ours.start = start;
    ours.end = end;
    return 1;
}

static void draw(void)
{
    char bytes[8];

    CHECK_IS(getrandom(bytes, sizeof(bytes), 0), sizeof(bytes));
}

static uint64_t draws_of(uint32_t record)
{
    const struct uc_root *root = dump_root();
    const char *thread = (const char *)root->chunk[0].base + (size_t)record * root->thread_size;

    return ((const struct uc_block *)(thread + root->block_offset))->stat[UC_STAT_GETRANDOM];
}

static void *draw_and_stay(void *unused)
{
    draw();
    pthread_barrier_wait(&met);
    pthread_barrier_wait(&met);
    return unused;
}

// This thread and THREADS more draw once each: as many records must show it.
static int survey(void)
{
    uint64_t before[MOST_RECORDS];
    int records = 0;

    draw(); // so that a fork that nobody was told of is known
    for (uint32_t i = 0; i < MOST_RECORDS; i++)
        before[i] = draws_of(i);
    CHECK_IS(pthread_barrier_init(&met, NULL, THREADS + 1), 0);
    for (int i = 0; i < THREADS; i++)
        check_thread(draw_and_stay, NULL);
    pthread_barrier_wait(&met);
    draw();
    for (uint32_t i = 0; i < MOST_RECORDS; i++)
        records += draws_of(i) != before[i];
    CHECK(records == THREADS + 1,
          "%s after instruction %ld of a thread's %s: %d threads, %d records", way->name, moment,
          leaving ? "end" : "first lock", THREADS + 1, records);
    return CHECK_PASS;
}

static void *survey_what_is_left(void *unused)
{
    (void)unused;
    check_join(forker);
    _exit(survey());
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uintptr_t at = (uintptr_t)registers[REG_RIP];
    (void)number;
    (void)info;

    if (at < ours.start || at >= ours.end || seen++ != moment)
        return;
    registers[REG_EFL] &= ~(greg_t)STEP_TRAP_FLAG;
    child = CHECK_CALL(way->fork());
    if (child != 0)
        return;
    check_deadline(10);
    draw();
    if (leaving)
        check_thread(survey_what_is_left, NULL);
}

static void *begin(void *unused)
{
    step_on();
    pthread_rwlock_rdlock(&lock);
    step_off();
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    if (child == 0)
        _exit(survey());
    return unused;
}

static void stop_stepping(void *unused)
{
    (void)unused;
    step_off();
}

static void *end(void *unused)
{
    CHECK_IS(pthread_setspecific(key, &key), 0);
    draw();
    step_on(); // until its destructor
    return unused;
}

// False: there is no such instruction.
static bool try_moment(void)
{
    seen = 0;
    child = -1;
    CHECK_IS(pthread_create(&forker, NULL, leaving ? end : begin, NULL), 0);
    check_join(forker);
    if (child > 0)
        CHECK_IS(check_collect(child), CHECK_PASS);
    return child > 0;
}

int main(void)
{
    struct sigaction action;

    check_deadline(110);
    CHECK(dl_iterate_phdr(find_ours, (void *)dump_root()) == 1, "the library is not loaded");
    CHECK_IS(pthread_key_create(&key, stop_stepping), 0);
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO;
    CHECK_CALL(sigaction(SIGTRAP, &action, NULL));
    for (int i = 0; i < FORK_WAYS; i++) {
        way = &fork_ways[i];
        leaving = false;
        for (moment = 0; try_moment(); moment++)
            ;
        CHECK(moment > 50, "only %ld instructions", moment);
        leaving = true;
        // Whoever joins a thread waits for its id, which these children do not know.
        for (moment = 0; !way->keeps_tid && try_moment(); moment++)
            ;
    }
    return CHECK_PASS;
}
