// SPDX-License-Identifier: MIT
// claim: each shape of counter, in a library or in the program, as five ways to compile make it,
// with its symbols, without them, or with them in a debug file, counts N threads times M calls
// exactly, replaced or left alone with the reason.
// matrix: code
// time: 120
#include "lib/target.h"

enum { SHARED, STATIC, STRIPPED, DEBUG, KINDS };

static const char *const flavors[] = {"gcc-O2", "gcc-Os", "gcc-O3", "gcc-cet", "clang-O2"};

static const struct {
    const char *library;
    const char *function; // NULL: known to the library
    const char *action;
    const char *threads;
    int replaced;           // functions, where all symbols are there
    const char *reasons[3]; // why not, in some build; with none all builds are replaced
    int either;             // some builds are replaced and some are not
} rows[] = {
    {"ssl", NULL, "", "4", 1, {NULL}, 0},
    {"cache", "cache_hit", "add64(arg0+0x60)", "4", 1, {NULL}, 0},
    {"odd", "odd_slots", "add64(arg0+0x58)", "4", 1, {NULL}, 0},
    {"odd", "odd_short", "add32(arg0+0x58)", "1", 0, {"shorter than a jump"}, 0},
    {"odd", "odd_loop", "add64(arg0+0x58)", "1", 0, {"a branch leads into its first bytes"}, 0},
    // clang makes no clone of it, but changes it in place.
    {"odd", "odd_cloned", "add64(arg0+0x58)", "4", 0, {"only as a clone", "does not add"}, 0},
    // Optimised for size it stays alone: its twin is a jump to it.
    {"twin", "twin_requests", "add64(arg0+0x58)", "4", 1, {"shares its code"}, 1},
    {"twin", "inlined_count", "add64(arg0+0x70)", "4", 0, {"other code adds"}, 0},
    // clang inlines it into all of its callers.
    {"lto", "lto_count", "add64(arg0+0x70)", "4", 0, {"other code adds", "no such function"}, 0},
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static int is_said(const char *err, size_t row)
{
    for (int i = 0; i < 3 && rows[row].reasons[i]; i++) {
        if (strstr(err, rows[row].reasons[i]))
            return 1;
    }
    return 0;
}

static void judge(const struct target *t, size_t row, int kind, const char *name)
{
    long replaced = target_number(t, "replaced");
    int lines = target_lines(t->err);

    if (kind == STRIPPED) {
        CHECK(replaced == 0, "%s: %ld replaced: %s", name, replaced, t->out);
        CHECK(rows[row].function ? lines == 1 && strstr(t->err, "no such function") : lines == 0,
              "%s: stderr: '%s'", name, t->err);
        return;
    }
    CHECK(replaced == rows[row].replaced || (rows[row].either && replaced == 0),
          "%s: %ld replaced: %s%s", name, replaced, t->out, t->err);
    CHECK(replaced ? lines == 0 : lines == 1 && is_said(t->err, row), "%s: stderr: '%s'", name,
          t->err);
    if (replaced && rows[row].function && strcmp(rows[row].library, "cache") != 0)
        TARGET_IS(t, "writes", 0);
}

static void check(size_t row, const char *flavor, int kind)
{
    static const char *const formats[] = {"%s-%s", "%s-static-%s", "stripped/%s-%s", "debug/%s-%s"};
    static struct target t;
    const char *library = rows[row].library;
    const char *threads = rows[row].threads;
    char name[64], counters[256];
    int by_name = strcmp(library, "ssl") != 0 && strcmp(library, "cache") != 0;

    memset(&t, 0, sizeof(t));
    snprintf(name, sizeof(name), formats[kind], library, flavor);
    if (rows[row].function) {
        snprintf(counters, sizeof(counters), "%s%s%s:%s=%s", kind == STATIC ? "" : "lib",
                 kind == STATIC ? "" : library, kind == STATIC ? "" : "*", rows[row].function,
                 rows[row].action);
        t.counters = counters;
    }
    if (by_name)
        target_run(&t, name, (const char *[]){rows[row].function, threads, "1000", NULL});
    else
        target_run(&t, name, (const char *[]){threads, "1000", NULL});
    CHECK(t.status == 0, "%s ended with %d: %s", name, t.status, t.err);
    if (by_name)
        TARGET_IS(&t, "count", atol(threads) * 1000);
    else
        TARGET_IS(&t, "hits", 5000);
    judge(&t, row, kind, name);
}

int main(void)
{
    for (size_t row = 0; row < ROWS; row++) {
        for (size_t f = 0; f < sizeof(flavors) / sizeof(flavors[0]); f++) {
            for (int kind = 0; kind < KINDS; kind++)
                check(row, flavors[f], kind);
        }
    }
    return CHECK_PASS;
}
