// SPDX-License-Identifier: MIT
// Owns the three forms of the statistics. Names in the process may hold anything, so each form has
// one place where foreign text passes.
#include "render.h"

#include <string.h>

#include "poison.h"

enum { STATE_COLUMN = 10, INDENT = 4, NAME_WIDTH = 28, VALUE_WIDTH = 20 };

const char *const uc_stat_names[UC_STAT_COUNT] = {
#define UC_STAT(upper, lower, help) [UC_STAT_##upper] = #lower,
#include "stats.def"
#undef UC_STAT
};

const char *const uc_stat_helps[UC_STAT_COUNT] = {
#define UC_STAT(upper, lower, help) [UC_STAT_##upper] = (help),
#include "stats.def"
#undef UC_STAT
};

struct state_row {
    const char *name;
    const struct uc_state *state;
};

enum { STATES = 4 };

static void list_states(const struct uc_root *r, struct state_row rows[static STATES])
{
    rows[0] = (struct state_row){"random", &r->random};
    rows[1] = (struct state_row){"locks", &r->locks};
    rows[2] = (struct state_row){"counters", &r->counters};
    rows[3] = (struct state_row){"signal", &r->dump_signal};
}

// Length of the valid UTF-8 sequence that begins here, 0 if there is none.
static size_t utf8_length(const char *p)
{
    const unsigned char *s = (const unsigned char *)p;
    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    size_t n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
               (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return bad ? 0 : n;
}

// Controls of the second set (U+0080 to U+009F) are as good as those of the first to a terminal.
static bool is_control(const char *s)
{
    const unsigned char *c = (const unsigned char *)s;
    return c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0);
}

void uc_render_plain(const char *s, size_t most, struct uc_text *out)
{
    while (*s && most) {
        size_t n = utf8_length(s);
        bool shown = n > 0 && n <= most && !is_control(s);
        n = n == 0 ? 1 : n <= most ? n : most;
        for (size_t i = 0; shown && i < n; i++)
            uc_text_add(out, "%c", s[i]);
        if (!shown)
            uc_text_add(out, "?");
        s += n;
        most -= n;
    }
}

// Words of s, broken into lines that end before UC_RENDER_WIDTH. column: where the cursor is.
static void wrap(const char *s, size_t column, struct uc_text *out)
{
    while (*s) {
        size_t n = strcspn(s, " ");
        if (column + 1 + n > UC_RENDER_WIDTH && column > INDENT) {
            uc_text_add(out, "\n   ");
            column = INDENT - 1;
        }
        size_t room = UC_RENDER_WIDTH - column - 1;
        uc_text_add(out, " ");
        uc_render_plain(s, n < room ? n : room, out);
        column += 1 + (n < room ? n : room);
        s += n < room ? n : room;
        s += strspn(s, " ");
    }
    uc_text_add(out, "\n");
}

void uc_render_states(const struct uc_view *v, struct uc_text *out)
{
    struct state_row rows[STATES];
    list_states(v->root, rows);
    for (size_t i = 0; i < STATES; i++) {
        const struct uc_state *s = rows[i].state;
        if (!s->name[0])
            continue;
        uc_text_add(out, "%10s", rows[i].name); // STATE_COLUMN
        uc_render_plain(s->name, sizeof s->name, out);
        size_t column = STATE_COLUMN + strlen(s->name);
        if (s->reason[0]) {
            uc_text_add(out, ":");
            wrap(s->reason, column + 1, out);
        } else {
            uc_text_add(out, "\n");
        }
    }
}

void uc_view_complete(struct uc_view *v)
{
    uint64_t words = v->stat[UC_STAT_ARC4RANDOM] + v->stat[UC_STAT_ARC4RANDOM_UNIFORM];
    v->stat[UC_STAT_RANDOM_BYTES] += words * UC_STAT_WORD;
    v->stat[UC_STAT_COUNTERS] = 0;
    for (size_t i = 0; i < UC_COUNTER_SLOTS; i++)
        v->stat[UC_STAT_COUNTERS] += v->counter[i];
}

void uc_render_counters(const struct uc_view *v, struct uc_text *out)
{
    for (size_t i = 0; i < UC_COUNTER_SLOTS; i++) {
        const struct uc_counter_state *c = &v->root->counter[i];
        if (!c->what[0])
            continue;
        char number[24];
        struct uc_text value = UC_TEXT(number);
        if (c->active)
            uc_text_add(&value, "%lu", v->counter[i]);
        else
            uc_text_add(&value, "-");
        // The end of a long name is the function, its beginning the file: keep the end.
        size_t room = UC_RENDER_WIDTH - strlen("counter ") - 1 - value.length;
        size_t n = strlen(c->what);
        uc_text_add(out, "counter ");
        if (n > room)
            uc_text_add(out, "...");
        uc_render_plain(n > room ? c->what + n - (room - 3) : c->what, room, out);
        uc_text_add(out, " %s", number);
        size_t column = strlen("counter ") + (n > room ? room : n) + 1 + value.length;
        wrap(c->how, column, out);
    }
}

// "12.3 ms", from nanoseconds.
static void duration(uint64_t ns, size_t width, struct uc_text *out)
{
    static const struct {
        uint64_t unit;
        const char *name;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    char bytes[32];
    struct uc_text t = UC_TEXT(bytes);
    size_t i = 0;
    while (i + 1 < uc_countof(units) && ns < units[i].unit)
        i++;
    uint64_t tenths = ns % units[i].unit * 10 / units[i].unit;
    uc_text_add(&t, "%lu.%lu %s", ns / units[i].unit, tenths, units[i].name);
    for (size_t n = t.length; n < width; n++)
        uc_text_add(out, " ");
    uc_text_add(out, "%s", bytes);
}

static void labelled(const char *label, const char *s, struct uc_text *out)
{
    uc_text_add(out, "    %s", label);
    wrap(s, INDENT + strlen(label), out);
}

void uc_render_hot(const struct uc_view *v, struct uc_text *out)
{
    if (v->hot_count)
        uc_text_add(out, "hot locks   tries               slept      waited     longest%s\n",
                    v->hot_rates ? "  tries/s" : "");
    for (size_t i = 0; i < v->hot_count; i++) {
        const struct uc_hot_row *h = &v->hot[i];
        uc_text_add(out, "%5s %11lu%20lu", h->write ? "write" : "read", h->tries, h->waits);
        duration(h->waited, 12, out);
        duration(h->longest, 12, out);
        if (v->hot_rates)
            uc_text_add(out, "%9lu", h->rate);
        uc_text_add(out, "\n");
        labelled("by", h->caller_name, out);
        labelled("lock", h->lock_name, out);
        if (!h->spec[0])
            continue;
        uc_text_add(out, "    looks like a counter; its lock goes away with\n    -o");
        char option[sizeof h->spec + 32];
        struct uc_text t = UC_TEXT(option);
        uc_text_add(&t, "COUNTERS='auto;%s'", h->spec);
        wrap(option, INDENT + 2, out);
    }
}

static void text(const struct uc_view *v, struct uc_text *out)
{
    size_t begin = out->length;
    uc_text_add(out, "uncontend ");
    uc_render_plain(v->root->version, sizeof v->root->version, out);
    uc_text_add(out, " pid %u program ", v->root->pid);
    uc_render_plain(v->root->program, UC_RENDER_WIDTH - (out->length - begin), out);
    uc_text_add(out, "\n");
    uc_render_states(v, out);
    uc_text_add(out, "%28s%20lu\n", "uptime_seconds", v->up / 1000000000);
    for (size_t i = 0; i < UC_STAT_COUNT; i++)
        uc_text_add(out, "%28s%20lu\n", uc_stat_names[i], v->stat[i]); // NAME_WIDTH, VALUE_WIDTH
    uc_render_counters(v, out);
    uc_render_hot(v, out);
}

// In double quotes, as both JSON and Prometheus labels want it; they differ in control characters
// alone, which Prometheus takes as they are, so those become spaces there.
static void quoted(const char *s, bool json, struct uc_text *out)
{
    uc_text_add(out, "\"");
    while (*s) {
        size_t n = utf8_length(s);
        if (n == 0)
            uc_text_add(out, "?");
        else if (*s == '"' || *s == '\\')
            uc_text_add(out, "\\%c", *s);
        else if (is_control(s)) {
            // Of two bytes the second is the number.
            unsigned char c = (unsigned char)s[n - 1];
            uc_text_add(out, json ? "\\u00%c%c" : " ", "0123456789"[c >> 4],
                        "0123456789abcdef"[c & 15]);
        } else
            for (size_t i = 0; i < n; i++)
                uc_text_add(out, "%c", s[i]);
        s += n ? n : 1;
    }
    uc_text_add(out, "\"");
}

static void json_states(const struct uc_view *v, struct uc_text *out)
{
    struct state_row rows[STATES];
    list_states(v->root, rows);
    uc_text_add(out, "\"state\":{");
    for (size_t i = 0; i < STATES; i++) {
        uc_text_add(out, "%s\"%s\":{\"name\":", i ? "," : "", rows[i].name);
        quoted(rows[i].state->name, true, out);
        uc_text_add(out, ",\"reason\":");
        quoted(rows[i].state->reason, true, out);
        uc_text_add(out, "}");
    }
    uc_text_add(out, "}");
}

static void json_hot(const struct uc_view *v, struct uc_text *out)
{
    uc_text_add(out, "\"hot_locks\":[");
    for (size_t i = 0; i < v->hot_count; i++) {
        const struct uc_hot_row *h = &v->hot[i];
        uc_text_add(out, "%s{\"mode\":\"%s\",\"lock\":\"0x%lx\",\"lock_name\":", i ? "," : "",
                    h->write ? "write" : "read", h->lock);
        quoted(h->lock_name, true, out);
        uc_text_add(out, ",\"caller\":\"0x%lx\",\"caller_name\":", h->caller);
        quoted(h->caller_name, true, out);
        uc_text_add(out,
                    ",\"tries\":%lu,\"waits\":%lu,\"waited_ns\":%lu,\"longest_ns\":%lu,\"spec\":",
                    h->tries, h->waits, h->waited, h->longest);
        quoted(h->spec, true, out);
        uc_text_add(out, "}");
    }
    uc_text_add(out, "]");
}

static void json(const struct uc_view *v, struct uc_text *out)
{
    uc_text_add(out, "{\"uncontend\":");
    quoted(v->root->version, true, out);
    uc_text_add(out, ",\"pid\":%u,\"program\":", v->root->pid);
    quoted(v->root->program, true, out);
    uc_text_add(out, ",\"uptime_ms\":%lu,", v->up / 1000000);
    json_states(v, out);
    uc_text_add(out, ",\"stats\":{");
    for (size_t i = 0; i < UC_STAT_COUNT; i++)
        uc_text_add(out, "%s\"%s\":%lu", i ? "," : "", uc_stat_names[i], v->stat[i]);
    uc_text_add(out, "},");
    json_hot(v, out);
    uc_text_add(out, ",\"counters\":[");
    const char *comma = "";
    for (size_t i = 0; i < UC_COUNTER_SLOTS; i++) {
        const struct uc_counter_state *c = &v->root->counter[i];
        if (!c->what[0])
            continue;
        uc_text_add(out, "%s{\"function\":", comma);
        quoted(c->what, true, out);
        uc_text_add(out, ",\"how\":");
        quoted(c->how, true, out);
        uc_text_add(out, ",\"replaced\":%s,\"calls\":%lu}", c->active ? "true" : "false",
                    v->counter[i]);
        comma = ",";
    }
    uc_text_add(out, "]}\n");
}

static void labels(const struct uc_view *v, struct uc_text *out)
{
    uc_text_add(out, "pid=\"%u\",program=", v->root->pid);
    quoted(v->root->program, false, out);
}

static void family(const char *name, const char *help, const char *type, struct uc_text *out)
{
    uc_text_add(out, "# HELP uncontend_%s %s\n# TYPE uncontend_%s %s\n", name, help, name, type);
}

static void prometheus_info(const struct uc_view *v, struct uc_text *out)
{
    struct state_row rows[STATES];
    list_states(v->root, rows);
    family("info", "what is active in the process", "gauge", out);
    uc_text_add(out, "uncontend_info{");
    labels(v, out);
    uc_text_add(out, ",version=");
    quoted(v->root->version, false, out);
    for (size_t i = 0; i < STATES; i++) {
        uc_text_add(out, ",%s=", rows[i].name);
        quoted(rows[i].state->name, false, out);
    }
    uc_text_add(out, "} 1\n");
    family("uptime_seconds", "time since the library started in the process", "gauge", out);
    uc_text_add(out, "uncontend_uptime_seconds{");
    labels(v, out);
    uc_text_add(out, "} %lu\n", v->up / 1000000000);
}

enum hot_value { TRIES, WAITS, WAITED, LONGEST, HOT_VALUES };

// Prometheus wants seconds.
static void seconds(uint64_t ns, struct uc_text *out)
{
    uint64_t rest = ns % 1000000000;
    uc_text_add(out, "%lu.", ns / 1000000000);
    for (uint64_t digit = 100000000; digit; digit /= 10)
        uc_text_add(out, "%c", (char)('0' + rest / digit % 10));
}

static void hot_sample(const struct uc_view *v, const struct uc_hot_row *h, enum hot_value which,
                       const char *name, struct uc_text *out)
{
    uc_text_add(out, "uncontend_%s{", name);
    labels(v, out);
    uc_text_add(out, ",mode=\"%s\",lock=\"0x%lx\",lock_name=", h->write ? "write" : "read",
                h->lock);
    quoted(h->lock_name, false, out);
    uc_text_add(out, ",caller=\"0x%lx\",caller_name=", h->caller);
    quoted(h->caller_name, false, out);
    uc_text_add(out, "} ");
    if (which == TRIES || which == WAITS)
        uc_text_add(out, "%lu", which == TRIES ? h->tries : h->waits);
    else
        seconds(which == WAITED ? h->waited : h->longest, out);
    uc_text_add(out, "\n");
}

static void prometheus_hot(const struct uc_view *v, struct uc_text *out)
{
    static const struct {
        const char *name, *help, *type;
    } families[HOT_VALUES] = {
        [TRIES] = {"hot_lock_tries_total", "calls that did not get the lock at once", "counter"},
        [WAITS] = {"hot_lock_waits_total", "of these, calls that slept", "counter"},
        [WAITED] = {"hot_lock_wait_seconds_total", "time until they had the lock", "counter"},
        [LONGEST] = {"hot_lock_longest_wait_seconds", "the longest of these times", "gauge"},
    };
    for (size_t f = 0; f < HOT_VALUES && v->hot_count; f++) {
        family(families[f].name, families[f].help, families[f].type, out);
        for (size_t i = 0; i < v->hot_count; i++)
            hot_sample(v, &v->hot[i], (enum hot_value)f, families[f].name, out);
    }
}

static void prometheus(const struct uc_view *v, struct uc_text *out)
{
    prometheus_info(v, out);
    for (size_t i = 0; i < UC_STAT_COUNT; i++) {
        // The sum of the series below, and a name that says its type, which their rules forbid.
        if (i == UC_STAT_COUNTERS)
            continue;
        char name[64];
        struct uc_text t = UC_TEXT(name);
        uc_text_add(&t, "%s_total", uc_stat_names[i]);
        family(name, uc_stat_helps[i], "counter", out);
        uc_text_add(out, "uncontend_%s{", name);
        labels(v, out);
        uc_text_add(out, "} %lu\n", v->stat[i]);
    }
    bool any = false;
    for (size_t i = 0; i < UC_COUNTER_SLOTS; i++) {
        const struct uc_counter_state *c = &v->root->counter[i];
        if (!c->what[0] || !c->active)
            continue;
        if (!any)
            family("replaced_calls_total", uc_stat_helps[UC_STAT_COUNTERS], "counter", out);
        any = true;
        uc_text_add(out, "uncontend_replaced_calls_total{");
        labels(v, out);
        uc_text_add(out, ",function=");
        quoted(c->what, false, out);
        uc_text_add(out, "} %lu\n", v->counter[i]);
    }
    prometheus_hot(v, out);
}

void uc_render(const struct uc_view *v, enum uc_format_choice format, struct uc_text *out)
{
    static void (*const forms[])(const struct uc_view *, struct uc_text *) = {
        [UC_FORMAT_TEXT] = text, [UC_FORMAT_JSON] = json, [UC_FORMAT_PROMETHEUS] = prometheus};
    forms[format](v, out);
}
