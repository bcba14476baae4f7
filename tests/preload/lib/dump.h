// SPDX-License-Identifier: MIT
// What the tests of the signal and of the dump share: how many dumps this process has written, and
// this very program started again with a setting of its own and what it said on stderr.
#ifndef DUMP_H
#define DUMP_H

#include "check.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>

#include "stats_abi.h"

// The library's own counts, or NULL without it.
static inline const struct uc_root *dump_root(void)
{
    return (const struct uc_root *)dlsym(RTLD_DEFAULT, "uncontend_root");
}

static inline uint64_t dump_stat(enum uc_stat stat)
{
    const struct uc_root *root = dump_root();
    uint64_t sum;
    uint32_t left;

    CHECK(root != NULL, "the library is not loaded");
    sum = __atomic_load_n(&root->shared.stat[stat], __ATOMIC_RELAXED);
    left = root->high;
    for (int c = 0; c < UC_CHUNKS && left > 0; c++) {
        uint32_t n = root->chunk[c].count < left ? (uint32_t)root->chunk[c].count : left;

        for (uint32_t i = 0; i < n; i++) {
            const char *thread = (const char *)root->chunk[c].base + (size_t)i * root->thread_size;
            const struct uc_block *block = (const struct uc_block *)(thread + root->block_offset);

            sum += __atomic_load_n(&block->stat[stat], __ATOMIC_RELAXED);
        }
        left -= n;
    }
    return sum;
}

// How many dumps were written by this process.
static inline uint64_t dump_count(void)
{
    return dump_stat(UC_STAT_DUMPS);
}

// How many signals came to us beside the program's handler: with a dump, or spared one.
static inline uint64_t dump_count_all(void)
{
    return dump_count() + dump_stat(UC_STAT_DUMPS_SPARED);
}

// How often a piece stands in a text.
static inline int dump_occurrences(const char *text, const char *piece)
{
    int n = 0;

    for (const char *at = text; (at = strstr(at, piece)) != NULL; at += strlen(piece))
        n++;
    return n;
}

// The first line of each dump in the text form.
#define DUMP_HEAD " program "

// Starts this program again as `argv0 role`, with the settings "NAME=VALUE" in the NULL-terminated
// list put into its environment, stdin empty, and stderr a pipe. What it said is in `said` (NUL at
// the end). Returns its exit status, or minus the signal that ended it.
static inline int dump_again(const char *role, char *const *settings, char *said, size_t capacity)
{
    char path[4096];
    ssize_t n = CHECK_CALL(readlink("/proc/self/exe", path, sizeof(path) - 1));
    int ends[2];
    pid_t pid;
    size_t have;

    path[n] = '\0'; // the real path: a program started as /proc/self/exe is called "exe"
    CHECK_CALL(pipe2(ends, O_CLOEXEC));
    pid = CHECK_CALL(fork());
    if (pid == 0) {
        char *argv[] = {program_invocation_name, (char *)(uintptr_t)role, NULL};

        for (; settings && *settings; settings++)
            putenv(*settings);
        dup2(ends[1], STDERR_FILENO);
        execv(path, argv);
        _exit(126);
    }
    close(ends[1]);
    have = check_read(ends[0], said, capacity - 1);
    said[have] = '\0';
    close(ends[0]);
    return check_collect(pid);
}

// The whole of a test in which dumps come by the thousand: this program again, with the signal on
// and stderr where they do not matter.
static inline int dump_main(int argc, char **argv, int (*body)(void))
{
    if (argc > 1)
        return strcmp(argv[1], "body") == 0 ? body() : CHECK_FAILED;
    putenv((char[]){"UNCONTEND_SIGNAL=USR1"});
    CHECK_IS(dup2(CHECK_CALL(open("/dev/null", O_WRONLY | O_CLOEXEC)), STDERR_FILENO), 2);
    execl("/proc/self/exe", argv[0], "body", NULL);
    return CHECK_FAILED;
}

// Again as "loaded", with a plug-in of tests/preload preloaded behind what is, and a setting or
// NULL; that has to pass.
__attribute__((unused)) static int dump_again_with_plugin(const char *plugin, char *setting)
{
    static char said[1 << 16], preload[9000];
    char path[4096];
    ssize_t n = CHECK_CALL(readlink("/proc/self/exe", path, sizeof(path) - 1));
    int status;

    path[n] = '\0';
    *strrchr(path, '/') = '\0';
    snprintf(preload, sizeof(preload), "LD_PRELOAD=%s:%s/plugin/%s.so", getenv("LD_PRELOAD"), path,
             plugin);
    status = dump_again("loaded", (char *[]){preload, setting, NULL}, said, sizeof(said));
    CHECK(status == 0, "status %d: %s", status, said);
    return CHECK_PASS;
}

#endif
