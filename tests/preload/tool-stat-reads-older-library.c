// SPDX-License-Identifier: MIT
// claim: `uncontend stat` reads a library that knows fewer counters and no hot locks, and one that
// knows more; what makes no sense is refused, or left out
// plain
// link: -rdynamic
#include "lib/tool.h"
#include "stats_abi.h"
#include <stdbool.h>

// As another version would have it: the number of counters is its own, and what stands behind.
enum { OLD_STATS = 5, NEW_STATS = UC_STAT_COUNT + 3, RECORDS = 3 };

static struct {
    struct record {
        char before[64];
        uint64_t words[NEW_STATS + UC_COUNTER_SLOTS];
        char between[20];
        uint32_t waited;
    } record[RECORDS];
    struct table {
        char hot[3][sizeof(struct uc_hot) + 8];
        char between[40];
    } table[RECORDS];
} records;

// Bytes, since no struct has its layout. The command finds it by its name.
struct any_root {
    _Alignas(64) char bytes[sizeof(struct uc_root) + 4096];
};
__attribute__((visibility("default"))) struct any_root uncontend_root;

static struct uc_root *make_root(uint32_t stats, bool hot)
{
    struct uc_root *root = (struct uc_root *)&uncontend_root;
    struct uc_hot_place place = {offsetof(struct record, waited), 3,
                                 sizeof(records.table[0].hot[0]), sizeof(records.table[0]), 0};
    size_t at = offsetof(struct uc_root, shared) + (stats + UC_COUNTER_SLOTS) * sizeof(uint64_t);
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    memcpy(root->magic, UC_ROOT_MAGIC, sizeof(UC_ROOT_MAGIC));
    root->abi = UC_STATS_ABI;
    root->size = (uint32_t)(at + (hot ? sizeof(place) + 16 : 0));
    root->stat_count = stats;
    root->thread_size = sizeof(records.record[0]);
    root->block_offset = offsetof(struct record, words);
    root->high = RECORDS;
    root->active = 1;
    root->pid = (uint32_t)getpid();
    root->started = (uint64_t)(now.tv_sec - 100) * 1000000000U;
    strcpy(root->version, "9.9.9");
    strcpy(root->program, "other");
    root->chunk[0] = (struct uc_chunk){(uint64_t)(uintptr_t)&records, RECORDS};
    memcpy(uncontend_root.bytes + at, &place, sizeof(place));
    for (int i = 0; i < RECORDS; i++)
        for (uint32_t n = 0; n < stats + UC_COUNTER_SLOTS; n++)
            records.record[i].words[n] = n < stats ? n + 1 : 1000000;
    return root;
}

static void add_hot(int record, int entry, struct uc_hot e)
{
    records.record[record].waited = 1;
    memcpy(records.table[record].hot[entry], &e, sizeof(e));
}

static int target(const char *role)
{
    struct uc_root *root =
        make_root(strcmp(role, "old") ? NEW_STATS : OLD_STATS, strcmp(role, "old") != 0);

    for (int i = 0; i < RECORDS; i++)
        add_hot(i, i, (struct uc_hot){UC_HOT_NEXT, 4096, 8192 | UC_HOT_WRITE, 10, 5, 1000, 900});
    add_hot(0, 1, (struct uc_hot){UC_HOT_NEXT | UC_HOT_MOVING, 77, 78, 1, 1, 1, 1});
    add_hot(0, 2, (struct uc_hot){0});
    if (strcmp(role, "abi") == 0)
        root->abi = UC_STATS_ABI + 1;
    if (strcmp(role, "mad") == 0)
        ((struct uc_hot_place *)(uncontend_root.bytes + root->size - 16 -
                                 sizeof(struct uc_hot_place)))
            ->stride = sizeof(struct uc_hot);
    tool_wait();
    return CHECK_PASS;
}

// Of a program without our library: its own symbol is found.
static pid_t start(const char *role, int *leash)
{
    int hold[2], ready[2];
    char path[4096], byte;
    ssize_t n = CHECK_CALL(readlink("/proc/self/exe", path, sizeof(path) - 1));
    pid_t pid;

    path[n] = '\0';
    CHECK_CALL(pipe2(hold, O_CLOEXEC));
    CHECK_CALL(pipe2(ready, O_CLOEXEC));
    pid = CHECK_CALL(fork());
    if (pid == 0) {
        dup2(hold[0], STDIN_FILENO);
        dup2(ready[1], STDOUT_FILENO);
        execl(path, path, role, NULL);
        _exit(125);
    }
    close(hold[0]);
    close(ready[1]);
    CHECK_IS(check_read(ready[0], &byte, 1), 1);
    close(ready[0]);
    *leash = hold[1];
    return pid;
}

int main(int argc, char **argv)
{
    int leash;
    pid_t process;

    if (argc > 1)
        return target(argv[1]);
    check_deadline(25);
    process = start("old", &leash);
    TOOL_IS(0, "", "stat", "-j", tool_number(process));
    CHECK_IS(tool_json(tool_out, "getrandom_calls"), RECORDS * 1);
    CHECK_IS(tool_json(tool_out, "arc4random_uniform_calls"), RECORDS * 5);
    CHECK_IS(tool_json(tool_out, "rand_bytes_calls"), 0);
    CHECK(strstr(tool_out, "\"hot_locks\":[]"), "hot locks of a library without: %s", tool_out);
    tool_end(process, leash);

    process = start("new", &leash);
    TOOL_IS(0, "", "stat", "-j", tool_number(process));
    CHECK_IS(tool_json(tool_out, "dumps_spared"), RECORDS * UC_STAT_COUNT);
    CHECK(strstr(tool_out, "\"hot_locks\":[{\"mode\":\"write\",\"lock\":\"0x1000\","), "%s",
          tool_out);
    CHECK_IS(tool_json(tool_out, "tries"), RECORDS * 10);
    CHECK_IS(tool_json(tool_out, "waits"), RECORDS * 5);
    CHECK(!strstr(strstr(tool_out, "tries") + 1, "tries"), "an entry that moves: %s", tool_out);
    tool_end(process, leash);

    process = start("mad", &leash);
    TOOL_IS(0, "", "stat", "-j", tool_number(process));
    CHECK(strstr(tool_out, "\"hot_locks\":[]"), "entries beyond their table: %s", tool_out);
    tool_end(process, leash);

    process = start("abi", &leash);
    TOOL_IS(1, "whose statistics have format 2", "stat", "-j", tool_number(process));
    tool_end(process, leash);
    return CHECK_PASS;
}
