// SPDX-License-Identifier: MIT
// Owns the records and their free list. Records come from a small first mapping and, for programs
// with many threads, from few large ones. Nothing here takes a lock: a fork may happen, and a
// signal handler may arrive, at any instruction.
#include "thread.h"

#include <errno.h>
#include <pthread.h>

#include "libc.h"
#include "sys.h"
#include "wipe.h"

#include "poison.h"

enum { FIRST_CHUNK = 256, HOOKS = 4, HOT_TABLE = sizeof(struct uc_hot[UC_HOT_SLOTS]) };

__thread struct uc_tls uc_tls __attribute__((tls_model("initial-exec"), visibility("hidden")));

static pthread_key_t key;
static bool started;

// Index + 1 of the first free record in the low half; the high half changes with every push and
// pop, so that a slow popper's compare-and-swap cannot succeed on a recycled head.
static _Atomic(uint64_t) free_list;
static _Atomic(uint32_t) high;
static _Atomic(bool) full; // of memory, or of permissions to ask for some

// Forks that this process is the child of. A handler may fork while a record is on its way from the
// list to a thread, or back: then the child has put it on the list, and must not do so again, nor
// keep it.
static _Atomic(uint32_t) forks;

static uint32_t forks_now(void)
{
    return atomic_load_explicit(&forks, memory_order_relaxed);
}

static bool (*exit_hooks[HOOKS])(struct uc_thread *);
static void (*fork_hooks[HOOKS])(struct uc_thread *);

uint32_t uc_thread_place(uint32_t index, uint32_t *chunk)
{
    *chunk = 0;
    while (*chunk < UC_CHUNKS && index >= uc_thread_chunk_count(*chunk))
        index -= uc_thread_chunk_count((*chunk)++);
    return index;
}

uint32_t uc_thread_chunk_count(uint32_t chunk)
{
    return (uint32_t)FIRST_CHUNK << 2 * chunk;
}

bool uc_thread_may_grow(void)
{
    return !atomic_load_explicit(&full, memory_order_relaxed);
}

void uc_thread_stop_growing(void)
{
    atomic_store_explicit(&full, true, memory_order_relaxed);
}

static bool make_chunk(uint32_t chunk)
{
    uint64_t *base = &uncontend_root.chunk[chunk].base;
    if (__atomic_load_n(base, __ATOMIC_ACQUIRE))
        return true;
    if (!uc_thread_may_grow())
        return false;
    size_t n = uc_thread_chunk_count(chunk) * (sizeof(struct uc_thread) + HOT_TABLE);
    void *p = uc_sys_mmap(NULL, n, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0, NULL);
    if (p == MAP_FAILED) {
        uc_thread_stop_growing(); // else each lock would ask again
        return false;
    }
    __atomic_store_n(&uncontend_root.chunk[chunk].count, uc_thread_chunk_count(chunk),
                     __ATOMIC_RELAXED);
    uint64_t none = 0;
    // Release: whoever loads the address finds the count and a zeroed mapping.
    if (!__atomic_compare_exchange_n(base, &none, (uint64_t)(uintptr_t)p, false, __ATOMIC_RELEASE,
                                     __ATOMIC_ACQUIRE))
        uc_sys_munmap(p, n);
    return true;
}

struct uc_thread *uc_thread_at(uint32_t index)
{
    uint32_t chunk;
    uint32_t place = uc_thread_place(index, &chunk);
    // Pairs with the release in make_chunk.
    uintptr_t base = __atomic_load_n(&uncontend_root.chunk[chunk].base, __ATOMIC_ACQUIRE);
    return base ? (struct uc_thread *)base + place : NULL;
}

struct uc_hot *uc_thread_hot(struct uc_thread *t)
{
    uint32_t chunk;
    uint32_t place = uc_thread_place(t->index, &chunk);
    const struct uc_thread *end = t - place + uc_thread_chunk_count(chunk);
    return (struct uc_hot *)((uintptr_t)end + (uintptr_t)place * HOT_TABLE);
}

uint32_t uc_thread_high(void)
{
    return atomic_load_explicit(&high, memory_order_acquire);
}

// when: forks_now() from before the record was given up.
static void push_free(struct uc_thread *t, uint32_t when)
{
    if (forks_now() == when)
        // Release: pairs with the look of a writer whether it is alone, which then looks at holds.
        atomic_store_explicit(&t->life, UC_LIFE_FREE, memory_order_release);
    uint64_t head = atomic_load_explicit(&free_list, memory_order_relaxed);
    uint64_t now;
    do {
        uc_compiler_barrier(); // a fork after this look has changed the head
        if (forks_now() != when)
            return;
        atomic_store_explicit(&t->next, (uint32_t)head, memory_order_relaxed);
        now = ((head >> 32) + 1) << 32 | (t->index + 1);
        // Release: the record's last writes come before its next owner's first.
    } while (!atomic_compare_exchange_weak_explicit(&free_list, &head, now, memory_order_release,
                                                    memory_order_relaxed));
}

static struct uc_thread *pop_free(void)
{
    // Acquire, here and on failure: pairs with push_free.
    uint64_t head = atomic_load_explicit(&free_list, memory_order_acquire);
    while ((uint32_t)head) {
        struct uc_thread *t = uc_thread_at((uint32_t)head - 1);
        if (uc_unlikely(!t)) // never: what was freed is there; gcc -O3 does not see it
            return NULL;
        uint64_t next = atomic_load_explicit(&t->next, memory_order_relaxed);
        uint64_t now = ((head >> 32) + 1) << 32 | next;
        if (atomic_compare_exchange_weak_explicit(&free_list, &head, now, memory_order_acquire,
                                                  memory_order_acquire))
            return t;
    }
    return NULL;
}

static struct uc_thread *take_new(void)
{
    uint32_t index = atomic_load_explicit(&high, memory_order_relaxed);
    uint32_t chunk;
    do {
        (void)uc_thread_place(index, &chunk);
        if (chunk >= UC_CHUNKS || !make_chunk(chunk))
            return NULL;
        // Release: whoever sees the new count finds the chunk made.
    } while (!atomic_compare_exchange_weak_explicit(&high, &index, index + 1, memory_order_release,
                                                    memory_order_relaxed));
    uint32_t shown = __atomic_load_n(&uncontend_root.high, __ATOMIC_RELAXED);
    while (shown <= index && !__atomic_compare_exchange_n(&uncontend_root.high, &shown, index + 1,
                                                          true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    struct uc_thread *t = uc_thread_at(index);
    t->index = index;
    return t;
}

static struct uc_thread *take(void)
{
    struct uc_thread *t = pop_free();
    if (!t)
        t = take_new();
    if (!t)
        return NULL;
    t->owner = (unsigned long)pthread_self();
    t->closing = 0;
    atomic_store_explicit(&t->life, UC_LIFE_LIVE, memory_order_relaxed);
    // Pairs with the fence of a writer that looks whether it is alone: it finds this record, or
    // this thread's first fast read finds the lock closed.
    atomic_thread_fence(memory_order_seq_cst);
    return t;
}

struct uc_thread *uc_thread_self(void)
{
    if (!started)
        return NULL;
    if (uc_likely(uc_tls.thread != NULL) || uc_tls.closed || !uc_thread_notice_fork())
        return uc_tls.thread;
    uc_tls.closed = 1; // a handler that comes now must not register as well
    uc_compiler_barrier();
    uint32_t when;
    do {
        when = forks_now();
        uc_tls.thread = take();
        uc_compiler_barrier();
    } while (uc_tls.thread && forks_now() != when);
    if (uc_tls.thread)
        (void)pthread_setspecific(key, uc_tls.thread);
    uc_compiler_barrier();
    uc_tls.closed = 0;
    return uc_tls.thread;
}

static bool is_kept(struct uc_thread *t)
{
    bool keep = false;
    for (size_t i = 0; i < HOOKS && exit_hooks[i]; i++)
        keep |= exit_hooks[i](t);
    return keep;
}

// The thread's destructor. Other destructors may still run after it and call us: closed sends
// them to the kernel and to libc.
static void leave(void *record)
{
    struct uc_thread *t = record;
    uint32_t when = forks_now();
    uc_tls.closed = 1;
    uc_compiler_barrier();
    uc_tls.slot = NULL; // first: whoever finds a slot counts in the record
    uc_compiler_barrier();
    uc_tls.thread = NULL;
    if (!is_kept(t)) {
        push_free(t, when);
        return;
    }
    // Release: pairs with the burier's acquire, who frees the record.
    atomic_store_explicit(&t->life, UC_LIFE_GHOST, memory_order_release);
    uc_thread_bury(t); // somebody may have let go of all of it since it was looked at
}

// Of its own: what libc's locks count as well is theirs.
static bool holds(const struct uc_thread *t)
{
    // Pairs with the fence of whoever lets go of a ghost's hold, and then looks whether it is one.
    atomic_thread_fence(memory_order_seq_cst);
    for (size_t i = 0; i < UC_HELD; i++) {
        const struct uc_held *e = &t->held[i];
        if (atomic_load_explicit(&e->lock, memory_order_acquire) != 0 &&
            atomic_load_explicit(&e->depth, memory_order_relaxed) >
                (atomic_load_explicit(&e->handed, memory_order_relaxed) & ~UC_HANDED_UNSURE))
            return true;
    }
    return false;
}

bool uc_thread_claim(struct uc_thread *ghost, uint32_t *when)
{
    uint32_t life = UC_LIFE_GHOST;
    *when = forks_now();
    return atomic_compare_exchange_strong_explicit(&ghost->life, &life, UC_LIFE_BURIED,
                                                   memory_order_acquire, memory_order_relaxed);
}

// False: a handler forked meanwhile, and the child has freed the record.
static bool leave_behind(struct uc_thread *ghost, uint32_t when)
{
    if (forks_now() != when)
        return false;
    atomic_store_explicit(&ghost->life, UC_LIFE_GHOST, memory_order_release);
    return true;
}

void uc_thread_disclaim(struct uc_thread *ghost, uint32_t when)
{
    if (leave_behind(ghost, when))
        uc_thread_bury(ghost);
}

void uc_thread_bury(struct uc_thread *ghost)
{
    uint32_t when;
    while (atomic_load_explicit(&ghost->life, memory_order_relaxed) == UC_LIFE_GHOST &&
           !holds(ghost)) {
        if (!uc_thread_claim(ghost, &when))
            return;
        // It may have been buried, taken, and left behind again by another thread since that look.
        if (!is_kept(ghost)) {
            push_free(ghost, when);
            return;
        }
        if (!leave_behind(ghost, when))
            return;
    }
}

static void empty(struct uc_thread *t)
{
    t->closing = 0;
    for (size_t i = 0; i < UC_HELD; i++) {
        atomic_store_explicit(&t->held[i].lock, 0, memory_order_relaxed);
        atomic_store_explicit(&t->held[i].depth, 0, memory_order_relaxed);
        atomic_store_explicit(&t->held[i].handed, 0, memory_order_relaxed);
    }
}

// The record of the thread that the child began with. It may be another thread, started by the
// child since, that finds out about the fork: then the first one is known by its number, which is
// the process's, and which libc keeps where only the name of a thread's CPU clock shows it.
static struct uc_thread *first_thread(void)
{
    if (uc_tls.thread)
        return uc_tls.thread;
    int pid = uc_sys_getpid();
    for (uint32_t i = 0; i < uc_thread_high(); i++) {
        struct uc_thread *t = uc_thread_at(i);
        clockid_t clock;
        if (t && atomic_load_explicit(&t->life, memory_order_relaxed) == UC_LIFE_LIVE &&
            pthread_getcpuclockid((pthread_t)t->owner, &clock) == 0 && ~(clock >> 3) == pid)
            return t;
    }
    return NULL;
}

static void count_anew(struct uc_thread *t)
{
    __builtin_memset(&t->block, 0, sizeof t->block);
    if (t->waited)
        __builtin_memset(uc_thread_hot(t), 0, HOT_TABLE);
    t->waited = 0;
}

static void begin_as(uint32_t pid)
{
    __builtin_memset(&uncontend_root.shared, 0, sizeof uncontend_root.shared);
    uncontend_root.pid = pid;
}

// The child began with one thread: whoever owned the other records does not exist.
static void forked(uint32_t pid)
{
    struct uc_thread *self = first_thread();
    uint32_t when = 1 + atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
    uint64_t head = atomic_load_explicit(&free_list, memory_order_relaxed);
    // Its number goes on: what a handler interrupted may be about to compare the head.
    atomic_store_explicit(&free_list, ((head >> 32) + 1) << 32, memory_order_relaxed);
    uint32_t n = uc_thread_high();
    for (uint32_t i = 0; i < n; i++) {
        struct uc_thread *t = uc_thread_at(i);
        if (!t)
            continue;
        t->index = i;
        count_anew(t);
        if (t != self) {
            empty(t);
            push_free(t, when);
        }
    }
    begin_as(pid);
    for (size_t i = 0; i < HOOKS && fork_hooks[i]; i++)
        fork_hooks[i](self);
    uc_stat_add(uc_tls.thread, UC_STAT_FORKS, 1);
    uc_wipe_fork_done(true);
}

static void forked_by_libc(void)
{
    if (uc_wipe_works() && !uc_wipe_claim_fork())
        return;
    forked(uc_libc_thread_number());
}

bool uc_thread_notice_fork(void)
{
    if (uc_likely(uc_wipe_fork_seen()))
        return true;
    if (uc_wipe_claim_fork()) {
        // Records must not be taken from threads that live because a page was dropped. A child may
        // have its parent's pid, in another namespace.
        if (uncontend_root.pid == (uint32_t)uc_sys_getpid() && uc_wipe_was_no_fork())
            uc_wipe_fork_done(false);
        else
            forked((uint32_t)uc_sys_getpid());
    }
    return uc_wipe_fork_seen();
}

// Threads may have come since. So no record is taken from anybody.
void uc_thread_notice_fork_late(void)
{
    uint32_t pid = (uint32_t)uc_sys_getpid();
    if (uc_wipe_works() || uncontend_root.pid == pid || !uc_wipe_was_fork())
        return;
    for (uint32_t i = 0; i < uc_thread_high(); i++) {
        struct uc_thread *t = uc_thread_at(i);
        if (t)
            count_anew(t);
    }
    begin_as(pid);
    uc_stat_add(uc_tls.thread, UC_STAT_FORKS, 1);
    uc_wipe_fork_done(true);
}

void uc_thread_on_exit(bool (*fn)(struct uc_thread *))
{
    for (size_t i = 0; i < HOOKS; i++) {
        if (!exit_hooks[i]) {
            exit_hooks[i] = fn;
            return;
        }
    }
}

void uc_thread_on_fork(void (*fn)(struct uc_thread *))
{
    for (size_t i = 0; i < HOOKS; i++) {
        if (!fork_hooks[i]) {
            fork_hooks[i] = fn;
            return;
        }
    }
}

int uc_thread_start(void)
{
    if (!make_chunk(0))
        return -ENOMEM;
    int r = pthread_key_create(&key, leave);
    if (r)
        return -r;
    if (uc_libc_in_child(forked_by_libc) != 0)
        return -ENOMEM;
    started = true;
    return 0;
}
