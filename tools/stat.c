// SPDX-License-Identifier: MIT
// Owns `uncontend stat`: the page for people, and what scripts get. Never signals the process.
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "tool.h"

struct request {
    pid_t pid;
    enum uc_format_choice form; // UC_FORMAT_TEXT: the page
    uint64_t every;             // nanoseconds; 0: once
    uint64_t count;             // of samples; 0: until the process ends
};

// What a rate is told against: the start-up, or the sample before.
struct before {
    uint64_t stat[UC_STAT_COUNT];
    uint64_t counter[UC_COUNTER_SLOTS];
    uint64_t up;
    uint64_t started;
};

#define SECOND UINT64_C(1000000000)

static bool colour;

static void show_age(uint64_t nanoseconds)
{
    uint64_t s = nanoseconds / SECOND;
    if (s >= 86400)
        printf("%lu d %lu h", s / 86400, s / 3600 % 24);
    else if (s >= 3600)
        printf("%lu h %lu min", s / 3600, s / 60 % 60);
    else if (s >= 60)
        printf("%lu min %lu s", s / 60, s % 60);
    else
        printf("%lu s", s);
}

static void show_head(const struct uc_process *p)
{
    char buffer[256];
    struct uc_text name = UC_TEXT(buffer);
    uc_render_plain(p->root.program, 32, &name);
    printf("%s%s%s  pid %d  ", UC_BOLD(colour), buffer, UC_NORMAL(colour), (int)p->pid);
    name.length = 0;
    uc_render_plain(p->root.version, sizeof p->root.version, &name);
    printf("up ");
    show_age(p->view.up);
    printf("  uncontend %s\n", buffer);
    if (p->inherited)
        puts("These counts began in the process that this one was forked from.");
}

static void show_share(const char *what, uint64_t part, uint64_t rest)
{
    if (part + rest)
        printf("%-40s%21.1f %%\n", what, 100.0 * (double)part / (double)(part + rest));
}

static void show_page(const struct uc_process *p, const struct before *b)
{
    char buffer[UC_RENDER_MAX];
    struct uc_text t = UC_TEXT(buffer);
    const uint64_t *stat = p->view.stat;
    double seconds = (double)(p->view.up - b->up) / 1e9;
    size_t zero = 0;
    show_head(p);
    uc_render_states(&p->view, &t);
    fputs(buffer, stdout);
    printf("\n%s%-28s%20s%15s%s\n", UC_BOLD(colour), "", "total", "per second", UC_NORMAL(colour));
    for (size_t i = 0; i < UC_STAT_COUNT; i++) {
        if (stat[i] == 0) {
            zero++;
            continue;
        }
        double rate = seconds > 0 ? (double)(stat[i] - b->stat[i]) / seconds : 0;
        printf("%-28s%20lu%15.1f\n", uc_stat_names[i], stat[i], rate);
    }
    if (zero)
        printf("%zu %scounters are 0\n", zero, zero < UC_STAT_COUNT ? "other " : "");
    show_share("read locks served fast", stat[UC_STAT_LOCK_READ_FAST],
               stat[UC_STAT_LOCK_READ_GLIBC]);
    show_share("waits that spinning spared", stat[UC_STAT_LOCK_SPUN], stat[UC_STAT_LOCK_WAITED]);
    t.length = 0;
    buffer[0] = '\0';
    uc_render_counters(&p->view, &t);
    if (t.length)
        printf("\n%s", buffer);
}

// Another thread's counter is copied while it is written; a sum must not go back for that.
static void keep_rising(struct uc_process *p, const struct before *b)
{
    for (size_t i = 0; i < UC_STAT_COUNT; i++) {
        if (p->view.stat[i] < b->stat[i])
            p->view.stat[i] = b->stat[i];
    }
    for (size_t i = 0; i < UC_COUNTER_SLOTS; i++) {
        if (p->view.counter[i] < b->counter[i])
            p->view.counter[i] = b->counter[i];
    }
}

static void show(const struct uc_process *p, const struct before *b, const struct request *q)
{
    if (q->form == UC_FORMAT_TEXT) {
        show_page(p, b);
        return;
    }
    static char buffer[UC_RENDER_MAX];
    struct uc_text t = UC_TEXT(buffer);
    uc_render(&p->view, q->form, &t);
    fputs(buffer, stdout);
}

static void begin_sample(const struct request *q, bool first)
{
    const char *term = getenv("TERM");
    if (q->form != UC_FORMAT_TEXT || q->every == 0)
        return;
    if (isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0)
        fputs("\033[H\033[J", stdout);
    else if (!first)
        putchar('\n');
}

static void wait_until(struct timespec *next, uint64_t every)
{
    uint64_t nsec = (uint64_t)next->tv_nsec + every;
    next->tv_sec += (time_t)(nsec / SECOND);
    next->tv_nsec = (long)(nsec % SECOND);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL) == EINTR)
        ;
}

static void remember(struct before *b, const struct uc_process *p)
{
    memcpy(b->stat, p->view.stat, sizeof b->stat);
    memcpy(b->counter, p->view.counter, sizeof b->counter);
    b->up = p->view.up;
    b->started = p->root.started;
}

static int refused(const struct uc_process *p)
{
    char buffer[256];
    struct uc_text why = UC_TEXT(buffer);
    uc_render_plain(p->root.whole.reason, sizeof p->root.whole.reason, &why);
    uc_tool_say("loaded in process %d, and leaves it alone%s%s", (int)p->pid,
                why.length ? ": " : "", why.length ? buffer : "");
    return UC_TOOL_FAILED;
}

static int watch(const struct request *q)
{
    static struct uc_process p;
    struct before b = {0};
    struct timespec next;
    char buffer[512];
    struct uc_text why = UC_TEXT(buffer);
    int r = uc_process_open(&p, q->pid, &why);
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (uint64_t n = 0;; n++) {
        if (r == -EAGAIN) { // another program by now
            why.length = 0;
            r = uc_process_open(&p, q->pid, &why);
        }
        if (r == -ESRCH && n > 0)
            return uc_tool_finish(); // it ended, and was watched until then
        if (r < 0) {
            uc_tool_say("%s", buffer);
            return UC_TOOL_FAILED;
        }
        if (!p.root.active)
            return refused(&p);
        if (b.started != p.root.started)
            b = (struct before){.started = p.root.started};
        keep_rising(&p, &b);
        begin_sample(q, n == 0);
        show(&p, &b, q);
        remember(&b, &p);
        if (q->every == 0 || (q->count && n + 1 == q->count))
            return uc_tool_finish();
        if (uc_tool_finish() != UC_TOOL_DONE)
            return UC_TOOL_FAILED;
        wait_until(&next, q->every);
        why.length = 0;
        r = uc_process_read(&p, &why);
    }
}

// In nanoseconds; 0 for what cannot be used.
static uint64_t seconds_of(const char *s)
{
    char *end;
    double v = strtod(s, &end);
    return end != s && *end == '\0' && v >= 0.001 && v <= 86400 ? (uint64_t)(v * SECOND) : 0;
}

int uc_tool_stat(int argc, char **argv)
{
    struct request q = {.form = UC_FORMAT_TEXT};
    int c;
    opterr = 0;
    while ((c = getopt(argc, argv, ":jpw:n:")) != -1) {
        switch (c) {
        case 'j':
            q.form = UC_FORMAT_JSON;
            break;
        case 'p':
            q.form = UC_FORMAT_PROMETHEUS;
            break;
        case 'w':
            q.every = seconds_of(optarg);
            if (q.every == 0)
                return uc_tool_misused("stat: -w wants seconds, from 0.001 to 86400, not %s",
                                       optarg);
            break;
        case 'n':
            if (uc_text_number(optarg, &q.count) < 0 || q.count == 0)
                return uc_tool_misused("stat: -n wants a number of samples, not %s", optarg);
            break;
        case ':':
            return uc_tool_misused("stat: -%c lacks its value", optopt);
        default:
            return uc_tool_misused("stat: %s is not an option", argv[optind - 1]);
        }
    }
    if (argc - optind != 1)
        return uc_tool_misused("stat: one PID is wanted");
    q.pid = uc_tool_pid(argv[optind]);
    if (!q.pid)
        return uc_tool_misused("stat: %s is not a process number", argv[optind]);
    if (q.count > 1 && q.every == 0)
        q.every = SECOND;
    colour = uc_tool_colour();
    return watch(&q);
}
