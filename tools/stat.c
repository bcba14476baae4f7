// SPDX-License-Identifier: MIT
// Owns `uncontend stat`: the page for people, and what scripts get. Never signals the process.
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "tool.h"
#include "where.h"

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
    size_t hot_count;
    struct uc_hot_row hot[UC_HOT_ROWS];
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

// Each section is a run of the table's rows, and what follows from them.
struct section {
    const char *title;
    enum uc_stat first, last;
};

static const struct section sections[] = {
    {"random numbers", UC_STAT_GETRANDOM, UC_STAT_RANDOM_WAITED},
    {"reader-writer locks", UC_STAT_LOCK_READ_FAST, UC_STAT_LOCK_FOREIGN},
    {"hidden counters", UC_STAT_COUNTERS, UC_STAT_COUNTERS},
    {"the library itself", UC_STAT_FORKS, UC_STAT_COUNT - 1},
};

static void show_section(const struct section *s, const struct uc_view *v, const struct before *b)
{
    double seconds = (double)(v->up - b->up) / 1e9;
    bool any = false;
    for (size_t i = s->first; i <= s->last; i++) {
        if (v->stat[i] == 0)
            continue;
        double rate = seconds > 0 ? (double)(v->stat[i] - b->stat[i]) / seconds : 0;
        if (!any)
            printf("\n%s%-28s%20s%15s%s\n", UC_BOLD(colour), s->title, "total", "per second",
                   UC_NORMAL(colour));
        any = true;
        printf("%-28s%20lu%15.1f\n", uc_stat_names[i], v->stat[i], rate);
    }
    if (s->first != UC_STAT_LOCK_READ_FAST)
        return;
    show_share("read locks served fast", v->stat[UC_STAT_LOCK_READ_FAST],
               v->stat[UC_STAT_LOCK_READ_GLIBC]);
    show_share("waits that spinning spared", v->stat[UC_STAT_LOCK_SPUN],
               v->stat[UC_STAT_LOCK_WAITED]);
}

static void show_page(const struct uc_process *p, const struct before *b)
{
    static char buffer[UC_RENDER_MAX];
    struct uc_text t = UC_TEXT(buffer);
    size_t zero = 0;
    show_head(p);
    uc_render_states(&p->view, &t);
    fputs(buffer, stdout);
    for (size_t i = 0; i < uc_countof(sections); i++)
        show_section(&sections[i], &p->view, b);
    for (size_t i = 0; i < UC_STAT_COUNT; i++)
        zero += p->view.stat[i] == 0;
    if (zero)
        printf("\n%zu %scounters are 0\n", zero, zero < UC_STAT_COUNT ? "other " : "");
    t.length = 0;
    buffer[0] = '\0';
    uc_render_counters(&p->view, &t);
    if (t.length && p->view.hot_count)
        uc_text_add(&t, "\n");
    uc_render_hot(&p->view, &t);
    if (t.length)
        printf("\n%s", buffer);
}

static bool is_same(const struct uc_hot_row *a, const struct uc_hot_row *b)
{
    return a->lock == b->lock && a->caller == b->caller && a->write == b->write;
}

static void keep_higher(uint64_t *now, uint64_t before)
{
    if (*now < before)
        *now = before;
}

// Names are found once. A thread whose entry gave way takes its counts along, which no sum shown
// before may lose.
static void keep_hot(struct uc_view *v, const struct before *b)
{
    v->hot_rates = b->up != 0;
    for (size_t i = 0; i < v->hot_count; i++) {
        struct uc_hot_row *h = &v->hot[i];
        const struct uc_hot_row *old = NULL;
        for (size_t j = 0; j < b->hot_count && !old; j++)
            old = is_same(h, &b->hot[j]) ? &b->hot[j] : NULL;
        if (old) {
            keep_higher(&h->tries, old->tries);
            keep_higher(&h->waits, old->waits);
            keep_higher(&h->waited, old->waited);
            keep_higher(&h->longest, old->longest);
            memcpy(h->lock_name, old->lock_name, sizeof h->lock_name);
            memcpy(h->caller_name, old->caller_name, sizeof h->caller_name);
            memcpy(h->spec, old->spec, sizeof h->spec);
        }
        double seconds = (double)(v->up - b->up) / 1e9;
        double rate = (double)(h->tries - (old ? old->tries : 0)) / (seconds > 0 ? seconds : 1);
        h->rate = (uint64_t)rate;
    }
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
    keep_hot(&p->view, b);
    uc_where_name(p->pid, p->view.hot, p->view.hot_count);
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
    memcpy(b->hot, p->view.hot, sizeof b->hot);
    b->hot_count = p->view.hot_count;
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

enum { YOUNG_MS = 1000, EXEC_MS = 50, PATIENCE_MS = 3000, LOOK_AGAIN_MS = 10 };

// How long ago the process began, in milliseconds; much, if that cannot be seen.
static long age_of(pid_t pid)
{
    char path[32];
    char line[1024] = "";
    unsigned long long ticks = 0;
    struct timespec now;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    if (f && !fgets(line, sizeof line, f))
        line[0] = '\0';
    if (f)
        fclose(f);
    // The 22nd word; the second is the program's name, in brackets, with anything in it.
    const char *at = strrchr(line, ')');
    if (!at || sscanf(at + 1, " %*c%*d%*d%*d%*d%*d%*u%*u%*u%*u%*u%*u%*u%*d%*d%*d%*d%*d%*d%llu",
                      &ticks) != 1)
        return LONG_MAX;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000 -
           (long)(ticks * 1000 / (unsigned long long)sysconf(_SC_CLK_TCK));
}

// A process that has just been started may not have the library yet. One that becomes another
// program right now has nothing for a moment, or has not run it yet, whatever its age.
static int open_patiently(struct uc_process *p, pid_t pid, struct uc_text *why)
{
    const struct timespec nap = {.tv_nsec = LOOK_AGAIN_MS * 1000000L};
    for (int waited = 0;; waited += LOOK_AGAIN_MS) {
        size_t length = why->length;
        int r = uc_process_open(p, pid, why);
        bool unstarted = r == 0 && !p->root.active && !p->root.whole.name[0];
        bool absent = r == -ENOENT && (waited < EXEC_MS || age_of(pid) < YOUNG_MS);
        if ((!absent && !unstarted) || waited >= PATIENCE_MS)
            return r;
        why->length = length;
        nanosleep(&nap, NULL);
    }
}

static int watch(const struct request *q)
{
    static struct uc_process p;
    static struct before b;
    struct timespec next;
    char buffer[512];
    struct uc_text why = UC_TEXT(buffer);
    int r = open_patiently(&p, q->pid, &why);
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
    enum uc_format_choice wanted;
    int c;
    opterr = 0;
    while ((c = getopt(argc, argv, ":jpw:n:")) != -1) {
        switch (c) {
        case 'j':
        case 'p':
            wanted = c == 'j' ? UC_FORMAT_JSON : UC_FORMAT_PROMETHEUS;
            if (q.form != UC_FORMAT_TEXT && q.form != wanted)
                return uc_tool_misused("stat: -j and -p exclude each other");
            q.form = wanted;
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
