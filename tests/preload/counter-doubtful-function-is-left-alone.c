// SPDX-License-Identifier: MIT
// claim: a function whose entry cannot be proved to be replaceable is left alone, with one
// line that says why, and works as before; odd ones that can be are exact.
// matrix: code
// time: 60
#include "lib/target.h"

static const struct {
    const char *program, *object, *function, *action;
    const char *reason; // NULL: can be replaced
} rows[] = {
    {"odd-gcc-O2", "libodd-gcc-O2.so", "odd_short", "add32(arg0+0x58)", "shorter than a jump"},
    {"odd-gcc-O2", "libodd-gcc-O2.so", "odd_loop", "add64(arg0+0x58)",
     "a branch leads into its first bytes"},
    {"odd-gcc-O2", "libodd-gcc-O2.so", "odd_atomic", "add64(arg0+0x58)", "already atomic"},
    {"odd-gcc-O2", "libodd-gcc-O2.so", "odd_hooked", "add64(arg0+0x58)", "already hooked"},
    {"odd-gcc-O2", "libodd-gcc-O2.so", "odd_computed", "add64(arg0+0x58)",
     "whose target is not known"},
    {"odd-gcc-O2", "libodd-gcc-O2.so", "odd_unknown", "add64(arg0+0x58)",
     "an instruction that is not known"},
    {"odd-gcc-O2", "libodd-gcc-O2.so", "odd_inside", "add64(arg0+0x58)",
     "another symbol lies in its first bytes"},
    {"odd-gcc-O2", "libodd-gcc-O2.so", "odd_after", "add64(arg0+0x58)",
     "does not do that once on every way"},
    {"odd-gcc-O2", "libodd-gcc-O2.so", "odd_unsized", "add64(arg0+0x58)", "has no size"},
    {"odd-gcc-O2", "libodd-gcc-O2.so", "odd_ifunc", "add64(arg0+0x58)", "ifunc"},
    {"odd-gcc-O2", "libodd-gcc-O2.so", "odd_cloned", "add64(arg0+0x58)",
     "is there only as a clone"},
    {"odd-gcc-O2", "libodd-gcc-O2.so", "odd_slots", "add64(arg0+0x50)",
     "no instruction of it uses that offset"},
    {"odd-gcc-O2", "libodd-gcc-O2.so", "odd_two_pages", "add64(arg0+0x68)", NULL},
    {"twin-gcc-O2", "libtwin-gcc-O2.so", "twin_requests", "add64(arg0+0x58)", "shares its code"},
    {"twin-gcc-O2", "libtwin-gcc-O2.so", "twin_responses", "add64(arg0+0x58)", "shares its code"},
    {"twin-gcc-O2", "libtwin-gcc-O2.so", "inlined_count", "add64(arg0+0x70)", "other code adds"},
    // Three functions count references; two of them are not enough.
    {"cache-gcc-O2", "libcache-gcc-O2.so", "cache_ref", "fetch_add32(arg0+0x70)",
     "other code adds"},
};

// How many threads may call it at once: not all of them lock.
static const char *threads_for(const char *function)
{
    static const char *const unlocked[] = {"odd_short", "odd_loop", "odd_computed", "odd_unknown",
                                           "odd_after"};

    for (size_t i = 0; i < sizeof(unlocked) / sizeof(unlocked[0]); i++) {
        if (strcmp(function, unlocked[i]) == 0)
            return "1";
    }
    return "4";
}

static void check(size_t row)
{
    static struct target t;
    char counters[256];
    const char *threads = threads_for(rows[row].function);
    int odd = strncmp(rows[row].program, "cache", 5) != 0;

    memset(&t, 0, sizeof(t));
    snprintf(counters, sizeof(counters), "%s:%s=%s", rows[row].object, rows[row].function,
             rows[row].action);
    t.counters = counters;
    if (odd)
        target_run(&t, rows[row].program,
                   (const char *[]){rows[row].function, threads, "1000", NULL});
    else
        target_run(&t, rows[row].program, (const char *[]){"4", "1000", NULL});
    CHECK(t.status == 0, "%s ended with %d: %s", counters, t.status, t.err);
    if (odd)
        TARGET_IS(&t, "count", atol(threads) * 1000);
    else
        TARGET_IS(&t, "wrong", 0);
    TARGET_IS(&t, "replaced", rows[row].reason ? 0 : 1);
    CHECK(target_lines(t.err) == (rows[row].reason ? 1 : 0), "%s: stderr: '%s'", counters, t.err);
    CHECK(!rows[row].reason ||
              (strstr(t.err, rows[row].reason) && strstr(t.err, rows[row].function)),
          "%s: '%s' should be said, not '%s'", counters, rows[row].reason, t.err);
    if (!rows[row].reason)
        TARGET_IS(&t, "writes", 0);
}

// Nearly the same as odd_slots with its true offset, in the presence of others for the same field.
static void check_all_rivals_named(void)
{
    static struct target t = {.counters = "libtwin-gcc-O2.so:inlined_count=add64(arg0+0x70);libodd-"
                                          "gcc-O2.so:no_such=add32(arg0)"};

    target_run(&t, "twin-gcc-O2", (const char *[]){"inlined_count", "4", "1000", NULL});
    TARGET_IS(&t, "count", 4000);
    TARGET_IS(&t, "replaced", 0);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check(i);
    check_all_rivals_named();
    return CHECK_PASS;
}
