// SPDX-License-Identifier: MIT
// Owns `uncontend run` and the search for the library. Replaces itself by the command: pid,
// signals, descriptors and exit status are the command's own.
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "binary.h"
#include "handover.h"
#include "settings.h"
#include "tool.h"

static const char prefix[] = "UNCONTEND_";

#ifndef UC_LIBDIR
#define UC_LIBDIR "/usr/local/lib"
#endif

static bool usable(const char *path)
{
    struct uc_binary b;
    return uc_binary_look(path, &b) == 0 &&
           (b.kind == UC_BINARY_STATIC || b.kind == UC_BINARY_LOADABLE);
}

// As built, as installed with the usual values of libdir, also when all of it was moved, and where
// this one was installed.
static bool find_library(char *path, size_t capacity)
{
    static const char *const places[] = {
        "libuncontend.so",
        "../lib/uncontend/libuncontend.so",
        "../lib64/uncontend/libuncontend.so",
#if defined(__x86_64__)
        "../lib/x86_64-linux-gnu/uncontend/libuncontend.so",
#elif defined(__aarch64__)
        "../lib/aarch64-linux-gnu/uncontend/libuncontend.so",
#endif
    };
    char self[PATH_MAX / 2];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        return false;
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, capacity, "%s/%s", self, places[i]);
        if (access(path, F_OK) == 0)
            return true;
    }
    snprintf(path, capacity, "%s", UC_LIBDIR "/uncontend/libuncontend.so");
    if (access(path, F_OK) == 0)
        return true;
    snprintf(path, capacity, "%s", self);
    return false;
}

bool uc_tool_library(const char *wanted, char *path, size_t capacity)
{
    char found[PATH_MAX];
    char real[PATH_MAX];
    if (wanted) {
        snprintf(found, sizeof found, "%s", wanted);
    } else if (!find_library(found, sizeof found)) {
        uc_tool_say(
            "libuncontend.so is neither in %s, nor in ../lib/uncontend beside it, nor in " UC_LIBDIR
            "/uncontend; 'uncontend run' takes --library PATH",
            found);
        return false;
    }
    if (!realpath(found, real)) {
        uc_tool_say("cannot use %s: %s", found, strerror(errno));
        return false;
    }
    if (!usable(real)) {
        uc_tool_say("cannot use %s: not a library for this machine", real);
        return false;
    }
    if (strpbrk(real, " :")) {
        uc_tool_say("cannot use %s: LD_PRELOAD cannot hold a path with a space or a colon", real);
        return false;
    }
    snprintf(path, capacity, "%s", real);
    return true;
}

// NAME=VALUE with or without the prefix, in letters of either case, into the environment.
static bool set_option(const char *setting)
{
    const char *equals = strchr(setting, '=');
    size_t skip = strncasecmp(setting, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
    for (size_t i = 0; equals && i < uc_option_count; i++) {
        const char *name = uc_option_rows[i].name;
        char variable[64];
        size_t n = (size_t)(equals - setting) - skip;
        if (strlen(name) != n || strncasecmp(setting + skip, name, n) != 0)
            continue;
        snprintf(variable, sizeof variable, "%s%s", prefix, name);
        return setenv(variable, equals + 1, 1) == 0;
    }
    uc_tool_say(equals ? "no such setting: %s; 'uncontend env' lists them"
                       : "a setting is NAME=VALUE, not %s",
                setting);
    return false;
}

// In front of what is there already, unless we are.
static bool set_preload(const char *library)
{
    const char *old = getenv("LD_PRELOAD");
    char *value = NULL;
    size_t n = strlen(library);
    for (const char *p = old; p && *p; p += strcspn(p, ": "), p += strspn(p, ": ")) {
        if (strncmp(p, library, n) == 0 && (p[n] == '\0' || p[n] == ':' || p[n] == ' '))
            return true;
    }
    if (asprintf(&value, "%s%s%s", library, old && *old ? ":" : "", old ? old : "") < 0)
        return false;
    bool done = setenv("LD_PRELOAD", value, 1) == 0;
    free(value);
    return done;
}

// Bad values stop here, before a service has started with something else than was asked for.
static bool settings_are_good(struct uc_options *o)
{
    char buffer[8192];
    struct uc_text complaints = UC_TEXT(buffer);
    if (uc_settings_read(o, &complaints) == 0)
        return true;
    fputs(complaints.at, stderr);
    uc_tool_say("nothing was started");
    return false;
}

// The object with the RAND_bytes family, which lies beside the library.
static bool rand_object(const char *library, char *path, size_t capacity)
{
    int folder = (int)(strrchr(library, '/') - library);
    snprintf(path, capacity, "%.*s/libuncontend-rand.so", folder, library);
    if (usable(path))
        return true;
    uc_tool_say("UNCONTEND_RAND_BYTES needs %s, which cannot be used", path);
    return false;
}

// rand: NULL where it was not asked for.
static int start(char **argv, const char *library, const char *rand)
{
    char path[PATH_MAX];
    char last[PATH_MAX];
    struct uc_binary b;
    int r = uc_binary_resolve(argv[0], path);
    if (r < 0) {
        uc_tool_say("cannot run %s: %s", argv[0], r == -ENOENT ? "no such command" : strerror(-r));
        return r == -ENOENT ? UC_TOOL_RUN_ABSENT : UC_TOOL_RUN_DENIED;
    }
    const char *obstacle = NULL;
    const char *missing = NULL;
    r = uc_binary_follow(path, &b, last);
    if (r == 0) {
        obstacle = uc_binary_obstacle(&b);
        missing = uc_binary_linker_error(&b) < 0 ? b.interpreter : NULL;
    } else if (strcmp(path, last) != 0) {
        missing = last;
    }
    if (obstacle)
        uc_tool_say("%s %s; it runs unchanged", last, obstacle);
    else if ((rand && !set_preload(rand)) || !set_preload(library)) {
        uc_tool_say("no memory");
        return UC_TOOL_RUN_FAILED;
    }
    if (!obstacle && r == 0 && b.go)
        uc_tool_say("%s %s", last, uc_binary_go);
    if (!obstacle)
        uc_handover_counters(last, b.interpreter);
    execvp(argv[0], argv);
    r = errno;
    uc_tool_say("cannot run %s%s%s: %s", argv[0], missing ? " by " : "", missing ? missing : "",
                strerror(r));
    return r == ENOENT ? UC_TOOL_RUN_ABSENT : UC_TOOL_RUN_DENIED;
}

// The index of the command in argv, or -1 after a complaint.
static int read_arguments(int argc, char **argv, const char **library)
{
    static const struct option longs[] = {{"library", required_argument, NULL, 'l'}, {0}};
    int c;
    opterr = 0;
    while ((c = getopt_long(argc, argv, "+:o:", longs, NULL)) != -1) {
        if (c == 'o' && !set_option(optarg))
            return -1;
        if (c == 'l')
            *library = optarg;
        if (c == '?' || c == ':') {
            uc_tool_misused("run: %s %s", argv[optind - 1],
                            c == '?' ? "is not an option" : "lacks its value");
            return -1;
        }
    }
    if (optind >= argc) {
        uc_tool_misused("run: COMMAND is missing");
        return -1;
    }
    return optind;
}

int uc_tool_run(int argc, char **argv)
{
    static struct uc_options o;
    char library[PATH_MAX];
    char rand[PATH_MAX + sizeof "libuncontend-rand.so"];
    const char *wanted = NULL;
    int command = read_arguments(argc, argv, &wanted);
    if (command < 0 || !uc_tool_library(wanted, library, sizeof library) ||
        !settings_are_good(&o) || (o.rand_bytes && !rand_object(library, rand, sizeof rand)))
        return UC_TOOL_RUN_FAILED;
    return start(argv + command, library, o.rand_bytes ? rand : NULL);
}
