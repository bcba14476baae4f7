// SPDX-License-Identifier: MIT
// Owns `uncontend doctor`: what the library would do for a program or does in a process, and what
// stands in its way.
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "advice.h"
#include "binary.h"
#include "counters.h"
#include "imports.h"
#include "kernel.h"
#include "objects.h"
#include "process.h"
#include "tool.h"

enum { MARGIN = 7, WIDTH = 79 };

void uc_doctor_line(const char *verdict, const char *format, ...)
{
    char *text = NULL;
    char *rest = NULL;
    int column = MARGIN - 1;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        return;
    printf("  %-4s", verdict);
    for (const char *w = strtok_r(text, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
        if (column + 1 + (int)strlen(w) > WIDTH && column >= MARGIN) {
            printf("\n%*s", MARGIN - 1, "");
            column = MARGIN - 1;
        }
        column += printf(" %s", w);
    }
    putchar('\n');
    free(text);
}

// Of a process counts what the kernel told its dynamic linker, not who owns the file and who asks.
static void correct_privileges(pid_t pid, struct uc_binary *b)
{
    char path[32];
    uint64_t pair[2];
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
    FILE *f =
        b->kind == UC_BINARY_LOADABLE || b->kind == UC_BINARY_SECURE ? fopen(path, "re") : NULL;
    while (f && fread(pair, sizeof pair, 1, f) == 1) {
        if (pair[0] == AT_SECURE)
            b->kind = pair[1] ? UC_BINARY_SECURE : UC_BINARY_LOADABLE;
    }
    if (f)
        fclose(f);
}

// True when a preload reaches a program with that file; pid: 0, or the process that it is of.
static bool judge_file(const char *path, const char *shown, pid_t pid, struct uc_binary *b,
                       char last[static PATH_MAX])
{
    char plain[PATH_MAX] = "";
    struct uc_text t = UC_TEXT(plain);
    uc_render_plain(shown, sizeof plain, &t);
    printf("program %s\n", plain);
    int r = uc_binary_follow(path, b, last);
    if (r < 0 && r != -ELOOP && strcmp(path, last) == 0) {
        uc_doctor_line("note", "cannot be read: %s", strerror(-r));
        return true;
    }
    if (r < 0) {
        uc_doctor_line("no", "a script for %s, which cannot be run: %s", last, strerror(-r));
        return false;
    }
    if (pid)
        correct_privileges(pid, b);
    if (strcmp(path, last) != 0)
        uc_doctor_line("note", "a script, run by %s", last);
    const char *obstacle = uc_binary_obstacle(b);
    if (obstacle)
        uc_doctor_line("no", "it %s; it runs unchanged", obstacle);
    // The linker of a process lies below a root directory of its own, and was found.
    r = pid ? 0 : uc_binary_linker_error(b);
    if (r < 0)
        uc_doctor_line("no", "its dynamic linker %s cannot be run: %s", b->interpreter,
                       strerror(-r));
    if (obstacle || r < 0)
        return false;
    uc_doctor_line("ok", "a preload reaches it");
    if (b->go)
        uc_doctor_line("note", "it %s", uc_binary_go);
    return true;
}

// There is nothing that anything could be said about.
enum { NOT_FOUND = -1 };

static struct uc_imports *new_imports(void)
{
    char library[PATH_MAX];
    struct uc_imports *m =
        uc_tool_library(NULL, library, sizeof library) ? uc_imports_new(library) : NULL;
    if (!m)
        uc_tool_say("cannot tell what would be taken over without the library");
    return m;
}

static void look_at(void *imports, const char *path, bool program)
{
    uc_imports_add(imports, path);
    uc_counters_add(path, program);
}

static void print_all(struct uc_imports *m, pid_t pid, bool loaded)
{
    uc_imports_print(m);
    uc_counters_print();
    uc_advice_print(m, pid, loaded);
    uc_imports_free(m);
}

// The value of a setting in an environment block of n bytes, or NULL.
static const char *setting_in(const char *block, size_t n, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = block; at < block + n; at += strlen(at) + 1) {
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
    }
    return NULL;
}

// What a process was started with counts, not what is set here.
static void start_counters(pid_t pid)
{
    static const char name[] = "UNCONTEND_COUNTERS";
    static char block[1 << 17]; // the last byte stays NUL
    const char *setting = getenv(name);
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    FILE *f = pid ? fopen(path, "re") : NULL;
    if (f) {
        size_t n = fread(block, 1, sizeof block - 1, f);
        setting = setting_in(block, n, name);
        fclose(f);
    }
    uc_counters_start(setting && *setting ? setting : "auto");
}

static int command(const char *word)
{
    char path[PATH_MAX];
    char last[PATH_MAX];
    struct uc_binary b;
    int r = uc_binary_resolve(word, path);
    if (r < 0) {
        uc_tool_say("%s: %s", word, r == -ENOENT ? "no such command" : strerror(-r));
        return NOT_FOUND;
    }
    bool reached = judge_file(path, path, 0, &b, last);
    struct uc_imports *m = reached ? new_imports() : NULL;
    if (m) {
        start_counters(0);
        if (!uc_objects_of_command(last, b.interpreter, look_at, m))
            uc_doctor_line("note", "its libraries are not known before it runs");
        print_all(m, 0, false);
    }
    return reached ? UC_TOOL_DONE : UC_TOOL_FAILED;
}

static void print_status(pid_t pid)
{
    char value[UC_PROCESS_STATUS];
    if (uc_process_status(pid, "Seccomp", value) && strtol(value, NULL, 10) != 0)
        uc_doctor_line("note", "it is in a seccomp sandbox; the manual lists the system calls "
                               "that the library makes");
}

// True when it is, and active.
static bool print_loaded(pid_t pid)
{
    static struct uc_process p;
    char buffer[1024];
    struct uc_text why = UC_TEXT(buffer);
    char states[2048];
    struct uc_text t = UC_TEXT(states);
    int r = uc_process_open(&p, pid, &why);
    if (r == -ENOENT) {
        uc_doctor_line("note", "the library is not loaded in it");
    } else if (r < 0) {
        uc_doctor_line("no", "%s", buffer);
    } else if (!p.root.active) {
        uc_render_plain(p.root.whole.reason, sizeof p.root.whole.reason, &t);
        uc_doctor_line("no", "the library is loaded and leaves it alone: %s",
                       t.length ? states : "it has not started");
    } else {
        uc_doctor_line("ok", "the library is loaded and active:");
        uc_render_states(&p.view, &t);
        fputs(t.length ? states : "", stdout);
        return true;
    }
    return false;
}

static int process(pid_t pid)
{
    char path[PATH_MAX];
    char shown[PATH_MAX];
    char last[PATH_MAX];
    struct uc_binary b;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    ssize_t n = readlink(path, shown, sizeof shown - 1);
    if (n < 0) {
        if (errno == ENOENT)
            uc_tool_say("process %d does not exist, or is the kernel's", (int)pid);
        else
            uc_tool_say("not allowed to look at process %d: %s", (int)pid, strerror(errno));
        return NOT_FOUND;
    }
    shown[n] = '\0';
    bool reached = judge_file(path, shown, pid, &b, last);
    print_status(pid);
    bool loaded = print_loaded(pid);
    struct uc_imports *m = reached ? new_imports() : NULL;
    if (m) {
        start_counters(pid);
        if (!uc_objects_of_process(pid, look_at, m))
            uc_doctor_line("note", "not allowed to see what it has loaded");
        print_all(m, pid, loaded);
    }
    return reached ? UC_TOOL_DONE : UC_TOOL_FAILED;
}

int uc_tool_doctor(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && argv[1][0] == '-'))
        return uc_tool_misused("doctor: one COMMAND or PID is wanted");
    int result = UC_TOOL_DONE;
    if (argc == 2) {
        int pid = uc_tool_pid(argv[1]);
        result = pid ? process(pid) : command(argv[1]);
        if (result == NOT_FOUND)
            return UC_TOOL_FAILED;
    }
    uc_kernel_print();
    int r = uc_tool_finish();
    return r == UC_TOOL_DONE ? result : r;
}
