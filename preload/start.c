// SPDX-License-Identifier: MIT
// Owns the beginning and the end: the order in which the engines start, what is said about it, and
// whether anything starts at all. Until the constructor has run, every shim passes through.
#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>

#include "counter.h"
#include "libc.h"
#include "now.h"
#include "object.h"
#include "options.h"
#include "origin.h"
#include "random.h"
#include "real.h"
#include "report.h"
#include "rwlock.h"
#include "say.h"
#include "sigshim.h"
#include "sys.h"
#include "thread.h"
#include "version.h"
#include "wipe.h"

#include "poison.h"

enum { PATH = 1024 };

UC_EXPORT struct uc_root uncontend_root = {
    .magic = UC_ROOT_MAGIC,
    .abi = UC_STATS_ABI,
    .size = sizeof(struct uc_root),
    .stat_count = UC_STAT_COUNT,
    .thread_size = sizeof(struct uc_thread),
    .block_offset = offsetof(struct uc_thread, block),
    .version = UC_VERSION,
    .hot = {.mark = offsetof(struct uc_thread, waited),
            .count = UC_HOT_SLOTS,
            .size = sizeof(struct uc_hot),
            .stride = sizeof(struct uc_hot[UC_HOT_SLOTS])},
};

static struct uc_options options;

// The file that was executed, by its last name. Programs that were started through a descriptor or
// /proc/self/exe have a path that says nothing: the kernel knows the file.
static void name_program(void)
{
    char file[PATH];
    const char *path = (const char *)getauxval(AT_EXECFN);
    if (!path || strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/fd/", 8) == 0) {
        long n = uc_sys_readlink("/proc/self/exe", file, sizeof file - 1);
        path = n > 0 ? file : "?";
        file[n > 0 ? n : 0] = '\0';
    }
    const char *slash = strrchr(path, '/');
    uc_text_copy(uncontend_root.program, sizeof uncontend_root.program, slash ? slash + 1 : path);
}

// The user's own reason to leave this program alone, or NULL.
static const char *not_wanted(void)
{
    if (options.disable)
        return "UNCONTEND_DISABLE is on";
    if (options.only[0] && !uc_text_glob_any(options.only, uncontend_root.program))
        return "the program is not in UNCONTEND_ONLY";
    if (options.skip[0] && uc_text_glob_any(options.skip, uncontend_root.program))
        return "the program is in UNCONTEND_SKIP";
    return NULL;
}

static void read_settings(char *const *env)
{
    char buffer[4096];
    struct uc_text complaints = UC_TEXT(buffer);
    // Whoever started a setuid program must not steer it.
    bool secure = getauxval(AT_SECURE) != 0;
    int bad = uc_options_parse(&options, secure ? NULL : env, &complaints);
    // A program that is left alone may be in a sandbox that kills: not one system call.
    if (complaints.length > 0 || options.verbose || !not_wanted())
        uc_say_start(options.verbose);
    uc_say_raw(complaints.at, complaints.length);
    if (bad && options.strict)
        (void)UC_SYS1(SYS_exit_group, UC_EXIT_BAD_SETTING);
}

// Why this program is left alone, or NULL.
static const char *reason_to_stand_aside(void)
{
    const char *why = not_wanted();
    if (why)
        return why;
    why = uc_object_race_detector();
    if (why)
        return why;
    if (!uc_real_ours(UC_REAL_getrandom) && !uc_real_ours(UC_REAL_pthread_rwlock_rdlock))
        return "loaded, but not in front of libc (is it in LD_PRELOAD?)";
    return uc_thread_start() < 0 ? "no memory for per-thread records" : NULL;
}

static void stand_aside(const char *why)
{
    uc_text_copy(uncontend_root.whole.name, sizeof uncontend_root.whole.name, "off");
    uc_text_copy(uncontend_root.whole.reason, sizeof uncontend_root.whole.reason, why);
    uc_say_verbose("%s: program unchanged: %s", uncontend_root.program, why);
}

static void list_feature(const char *what, const struct uc_state *s)
{
    uc_say_verbose("  %9s %s%s%s", what, s->name, s->reason[0] ? ": " : "", s->reason);
}

// What is taken over on request alone.
static void list_also(void)
{
    Dl_info who;
    if (options.take_syscall)
        uc_say_verbose("  syscall(SYS_getrandom) on");
    if (!options.rand_bytes || !options.verbose)
        return;
    const void *found = dlsym(RTLD_DEFAULT, "RAND_bytes");
    bool ours = found && dladdr(found, &who) && strstr(who.dli_fname, "libuncontend-rand");
    uc_say_verbose("  RAND_bytes %s",
                   ours ? "on" : "off: libuncontend-rand.so is not in LD_PRELOAD");
}

static void list_features(void)
{
    uc_say_verbose("version %s in %s, pid %d", UC_VERSION, uncontend_root.program,
                   (int)uncontend_root.pid);
    list_feature("random", &uncontend_root.random);
    list_feature("locks", &uncontend_root.locks);
    list_feature("counters", &uncontend_root.counters);
    for (size_t i = 0; i < UC_COUNTER_SLOTS; i++) {
        const struct uc_counter_state *c = &uncontend_root.counter[i];
        if (c->what[0])
            uc_say_verbose("    %s %s: %s", c->what, c->active ? "replaced" : "left alone", c->how);
    }
    list_feature("signal", &uncontend_root.dump_signal);
    list_also();
}

__attribute__((constructor)) static void start(int argc, char **argv, char **env)
{
    (void)argc;
    (void)argv;
    if (!uc_libc_is_ours()) {
        stand_aside("the program has another C library than this build is for");
        return;
    }
    name_program();
    read_settings(UC_GLIBC ? env : environ); // musl hands constructors no arguments
    uncontend_root.pid = uc_libc_thread_number();
    uc_real_start();
    const char *aside = reason_to_stand_aside();
    if (aside) {
        stand_aside(aside);
        return;
    }
    uc_now_start();
    uncontend_root.started = uc_now();
    uncontend_root.hot.started_ticks = uc_ticks();
    uc_origin_start();
    (void)uc_wipe_start();
    (void)uc_thread_self(); // a program that sandboxes itself later needs no more memory then
    uc_random_start(&options, &uncontend_root.random);
    uc_rwlock_start(&options, &uncontend_root.locks);
    uc_counter_start(&options, &uncontend_root.counters);
    uc_report_start(&options);
    uc_signal_start(&options, &uncontend_root.dump_signal);
    uc_text_copy(uncontend_root.whole.name, sizeof uncontend_root.whole.name, "on");
    __atomic_store_n(&uncontend_root.active, 1, __ATOMIC_RELEASE);
    list_features();
}

__attribute__((destructor)) static void stop(void)
{
    if (!uncontend_root.active)
        return;
    if (options.dump_at_exit)
        uc_report_dump();
    uc_random_stop();
}
