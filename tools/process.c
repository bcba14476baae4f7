// SPDX-License-Identifier: MIT
// Owns the reading of another process's statistics; the search for them is symbol.c's.
#include "process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "symbol.h"

enum {
    BATCH = 512,             // records read by one system call
    MOST_STATS = 4096,       // what another version may have
    MOST_RECORD = 64 * 1024, // bytes
    MOST_RECORDS = 1 << 20,
    MOST_HOT = 256, // entries of a thread
    TRIES = 3,
};

int uc_process_peek(pid_t pid, uint64_t at, void *to, size_t n)
{
    struct iovec here = {to, n};
    struct iovec there = {(void *)(uintptr_t)at, n};
    ssize_t r = process_vm_readv(pid, &here, 1, &there, 1, 0);
    if (r < 0)
        return -errno;
    return (size_t)r == n ? 0 : -EFAULT;
}

static void explain_refusal(pid_t pid, struct uc_text *why)
{
    FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    int scope = f ? fgetc(f) : '0';
    if (f)
        fclose(f);
    uc_text_add(why, "not allowed to read process %d: ", (int)pid);
    if (geteuid() == 0)
        uc_text_add(why, "it is protected even from root here (CAP_SYS_PTRACE is wanted)");
    else if (scope >= '1' && scope <= '3')
        uc_text_add(why, "kernel.yama.ptrace_scope is %c, so only root may", scope);
    else
        uc_text_add(why, "only root may, and its own user if it gave up no privileges");
}

static int explain(int error, pid_t pid, struct uc_text *why)
{
    switch (error) {
    case -ESRCH:
        uc_text_add(why, "process %d does not exist", (int)pid);
        return -ESRCH;
    case -EPERM:
    case -EACCES:
        explain_refusal(pid, why);
        return -EPERM;
    case -EFAULT:
        uc_text_add(why, "process %d changed while it was read", (int)pid);
        return -EAGAIN;
    default:
        uc_text_add(why, "cannot read process %d: %s", (int)pid, strerror(-error));
        return error;
    }
}

static void end_strings(struct uc_root *r)
{
    struct uc_state *states[] = {&r->random, &r->locks, &r->counters, &r->dump_signal, &r->whole};
    r->version[sizeof r->version - 1] = '\0';
    r->program[sizeof r->program - 1] = '\0';
    for (size_t i = 0; i < uc_countof(states); i++) {
        states[i]->name[sizeof states[i]->name - 1] = '\0';
        states[i]->reason[sizeof states[i]->reason - 1] = '\0';
    }
    for (size_t i = 0; i < UC_COUNTER_SLOTS; i++) {
        r->counter[i].what[sizeof r->counter[i].what - 1] = '\0';
        r->counter[i].how[sizeof r->counter[i].how - 1] = '\0';
    }
}

// All of the root but the shared block, whose size is another version's matter.
static int read_root(struct uc_process *p, struct uc_text *why)
{
    int r = uc_process_peek(p->pid, p->root_at, &p->root, offsetof(struct uc_root, shared));
    if (r < 0)
        return explain(r, p->pid, why);
    if (memcmp(p->root.magic, UC_ROOT_MAGIC, sizeof UC_ROOT_MAGIC) != 0)
        return explain(-EFAULT, p->pid, why);
    end_strings(&p->root);
    const struct uc_root *root = &p->root;
    if (root->abi != UC_STATS_ABI) {
        char buffer[sizeof root->version + 1];
        struct uc_text version = UC_TEXT(buffer);
        uc_render_plain(root->version, sizeof root->version, &version);
        uc_text_add(why,
                    "process %d has version %s of the library, whose statistics have format %u; "
                    "this command reads format %d: use the one that came with it",
                    (int)p->pid, buffer, root->abi, UC_STATS_ABI);
        return -ENOTSUP;
    }
    size_t block = (root->stat_count + (size_t)UC_COUNTER_SLOTS) * sizeof(uint64_t);
    if (root->stat_count > MOST_STATS || root->thread_size > MOST_RECORD ||
        root->block_offset > root->thread_size || block > root->thread_size - root->block_offset ||
        root->high > MOST_RECORDS) {
        uc_text_add(why, "the statistics of process %d make no sense", (int)p->pid);
        return -ENOTSUP;
    }
    return 0;
}

// Behind the shared block, where the version has such a thing at all. Sums are right without.
static void read_hot_place(struct uc_process *p)
{
    const struct uc_root *root = &p->root;
    struct uc_hot_place *hot = &p->root.hot;
    size_t at = offsetof(struct uc_root, shared) +
                (root->stat_count + (size_t)UC_COUNTER_SLOTS) * sizeof(uint64_t);
    *hot = (struct uc_hot_place){0};
    if (root->size < at + sizeof *hot ||
        uc_process_peek(p->pid, p->root_at + at, hot, sizeof *hot) < 0 ||
        hot->size < sizeof(struct uc_hot) || hot->count > MOST_HOT || hot->stride > MOST_RECORD ||
        (uint64_t)hot->mark + sizeof(uint32_t) > root->thread_size ||
        (uint64_t)hot->count * hot->size > hot->stride)
        hot->count = 0;
}

// A version's block holds its own number of stats, then the counters. Those that we do not know
// are left out, those that it does not have stay 0.
static void add_block(struct uc_view *v, const uint64_t *words, uint32_t stats)
{
    for (uint32_t i = 0; i < stats && i < UC_STAT_COUNT; i++)
        v->stat[i] += words[i];
    for (uint32_t i = 0; i < UC_COUNTER_SLOTS; i++)
        v->counter[i] += words[stats + i];
}

static struct uc_hot hot_at(const struct uc_root *root, const char *table, uint32_t n)
{
    struct uc_hot e;
    memcpy(&e, table + (size_t)n * root->hot.size, sizeof e);
    return e;
}

// Two copies, made one after the other: what is the same in both, its owner's number included, was
// so in between as well. buffer: room for both.
static int add_hot(struct uc_process *p, uint64_t table, char *buffer)
{
    size_t n = (size_t)p->root.hot.count * p->root.hot.size;
    int r = uc_process_peek(p->pid, table, buffer, n);
    if (r == 0)
        r = uc_process_peek(p->pid, table, buffer + n, n);
    for (uint32_t i = 0; r == 0 && i < p->root.hot.count; i++) {
        struct uc_hot a = hot_at(&p->root, buffer, i);
        struct uc_hot b = hot_at(&p->root, buffer + n, i);
        if (a.lock && a.caller && a.lock == b.lock && a.caller == b.caller &&
            !((a.state ^ b.state) & ~UC_HOT_ADDING) && !(a.state & UC_HOT_MOVING) &&
            a.tries <= b.tries && a.ticks <= b.ticks)
            uc_hotlist_add(&p->hot, &b);
    }
    return r;
}

static void add_record(struct uc_process *p, const char *record)
{
    uint64_t words[MOST_STATS + UC_COUNTER_SLOTS];
    memcpy(words, record + p->root.block_offset,
           (p->root.stat_count + (size_t)UC_COUNTER_SLOTS) * sizeof words[0]);
    add_block(&p->view, words, p->root.stat_count);
}

static bool has_waited(const struct uc_root *root, const char *record)
{
    uint32_t mark;
    memcpy(&mark, record + root->hot.mark, sizeof mark);
    return root->hot.count > 0 && mark != 0;
}

// The first `count` records of a chunk. buffer: room for a batch of them, then for two tables.
static int add_chunk(struct uc_process *p, const struct uc_chunk *chunk, uint32_t count,
                     char *buffer)
{
    const struct uc_root *root = &p->root;
    size_t size = root->thread_size;
    uint64_t tables = chunk->base + chunk->count * size;
    for (uint32_t i = 0; i < count; i += BATCH) {
        uint32_t n = count - i < BATCH ? count - i : BATCH;
        int r = uc_process_peek(p->pid, chunk->base + i * size, buffer, n * size);
        for (uint32_t j = 0; r == 0 && j < n; j++) {
            add_record(p, buffer + j * size);
            if (has_waited(root, buffer + j * size))
                r = add_hot(p, tables + (uint64_t)(i + j) * root->hot.stride,
                            buffer + BATCH * size);
        }
        if (r < 0)
            return r;
    }
    return 0;
}

static int add_all(struct uc_process *p)
{
    const struct uc_root *root = &p->root;
    uint64_t words[MOST_STATS + UC_COUNTER_SLOTS];
    int r = uc_process_peek(p->pid, p->root_at + offsetof(struct uc_root, shared), words,
                            (root->stat_count + (size_t)UC_COUNTER_SLOTS) * sizeof words[0]);
    if (r < 0)
        return r;
    add_block(&p->view, words, root->stat_count);
    char *buffer = malloc((size_t)BATCH * root->thread_size + (size_t)2 * MOST_RECORD);
    if (!buffer)
        return -ENOMEM;
    uint32_t left = root->high;
    for (size_t c = 0; c < UC_CHUNKS && left && r == 0 && root->chunk[c].base; c++) {
        uint32_t n = root->chunk[c].count < left ? (uint32_t)root->chunk[c].count : left;
        r = add_chunk(p, &root->chunk[c], n, buffer);
        left -= n;
    }
    free(buffer);
    return r;
}

bool uc_process_status(pid_t pid, const char *field, char value[UC_PROCESS_STATUS])
{
    char path[32];
    char line[UC_PROCESS_STATUS];
    size_t n = strlen(field);
    bool found = false;
    value[0] = '\0';
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        found = strncmp(line, field, n) == 0 && line[n] == ':';
        if (found)
            uc_text_copy(value, UC_PROCESS_STATUS, line + n + 1);
    }
    if (f)
        fclose(f);
    return found;
}

// The number by which the process knows itself, in its innermost pid namespace.
static uint32_t own_pid(pid_t pid)
{
    char value[UC_PROCESS_STATUS];
    (void)uc_process_status(pid, "NSpid", value);
    const char *last = strrchr(value, '\t');
    return last ? (uint32_t)strtoul(last, NULL, 10) : 0;
}

// What CLOCK_MONOTONIC shows more in a process's time namespace than in the machine's own, in
// nanoseconds.
static uint64_t shift_of_clock(const char *pid)
{
    char path[48];
    char line[128];
    long long seconds = 0;
    long long nanoseconds = 0;
    snprintf(path, sizeof path, "/proc/%s/timens_offsets", pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f) &&
           sscanf(line, "monotonic %lld %lld", &seconds, &nanoseconds) != 2)
        ;
    if (f)
        fclose(f);
    return (uint64_t)(seconds * 1000000000 + nanoseconds);
}

// Now, as the process's own clock has it.
static uint64_t now_in(pid_t pid)
{
    char number[16];
    struct timespec now;
    snprintf(number, sizeof number, "%d", (int)pid);
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec + shift_of_clock(number) -
           shift_of_clock("self");
}

int uc_process_read(struct uc_process *p, struct uc_text *why)
{
    struct uc_root after;
    int r = read_root(p, why);
    if (r < 0 || !p->root.active)
        return r;
    p->view = (struct uc_view){.root = &p->root};
    p->hot.count = 0;
    read_hot_place(p);
    r = add_all(p);
    if (r < 0)
        return explain(r, p->pid, why);
    // An exec or an exit in between: what was read may be anything.
    r = uc_process_peek(p->pid, p->root_at, &after, offsetof(struct uc_root, random));
    if (r < 0)
        return explain(r, p->pid, why);
    if (memcmp(after.magic, UC_ROOT_MAGIC, sizeof UC_ROOT_MAGIC) != 0 ||
        after.started != p->root.started)
        return explain(-EFAULT, p->pid, why);
    uc_view_complete(&p->view);
    uint64_t at = now_in(p->pid);
    p->view.up = at > p->root.started ? at - p->root.started : 0;
    uc_hotlist_show(&p->hot, p->view.up, uc_ticks() - p->root.hot.started_ticks, &p->view);
    uint32_t own = own_pid(p->pid);
    p->inherited = own && own != p->root.pid;
    p->root.pid = (uint32_t)p->pid; // the number that the user knows
    return 0;
}

int uc_process_open(struct uc_process *p, pid_t pid, struct uc_text *why)
{
    int r = -EAGAIN;
    for (int i = 0; i < TRIES && r == -EAGAIN; i++) {
        size_t length = why->length;
        *p = (struct uc_process){.pid = pid};
        r = uc_symbol_find(pid, "uncontend_root", sizeof(UC_ROOT_MAGIC), &p->root_at);
        if (r == -ENOENT)
            uc_text_add(why, "the library is not loaded in process %d", (int)pid);
        else if (r == -EFAULT)
            r = -EAGAIN;
        else if (r < 0)
            r = explain(r, pid, why);
        else
            r = uc_process_read(p, why);
        if (r == -EAGAIN && i + 1 < TRIES)
            why->length = length;
    }
    return r;
}
