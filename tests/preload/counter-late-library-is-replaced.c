// SPDX-License-Identifier: MIT
// claim: libraries that dlopen brings are replaced before anybody counts in them, each copy
// by itself, also beside other threads, by several threads at once, and again after unloading.
// matrix: code
// time: 60
#include "lib/target.h"

enum { THREADS = 4, CALLS = 1000 };

static void check(const char *how, const char *first, const char *second, const char *third)
{
    static struct target t;
    const char *libraries[] = {first, second, third};

    memset(&t, 0, sizeof(t));
    target_run(&t, "late", (const char *[]){how, "4", "1000", first, second, third});
    CHECK(t.status == 0, "late %s ended with %d: %s", how, t.status, t.err);
    CHECK(t.err[0] == '\0', "late %s: stderr should be empty: %s", how, t.err);
    for (int i = 0; i < 3; i++) {
        long hits = target_number_in(&t, i, "hits");
        long writes = target_number_in(&t, i, "writes");
        long calls = target_number_in(&t, i, "calls");

        CHECK(hits == THREADS * CALLS, "%s %s: %ld hits", how, libraries[i], hits);
        CHECK(writes == 0, "%s %s: %ld write locks: %s", how, libraries[i], writes, t.out);
        CHECK(calls == 2L * THREADS * CALLS * (i + 1), "%s %s: %ld calls were counted", how,
              libraries[i], calls);
    }
}

// Nobody can tell whether the function is running when it is found: it is left alone.
static void check_busy(void)
{
    static struct target t = {.counters = "libodd*:odd_slots=add64(arg0+0x58)"};

    target_run(&t, "late", (const char *[]){"static", "1", "1000", "./libodd-gcc-O2.so", NULL});
    CHECK(t.status == 0, "ended with %d: %s", t.status, t.err);
    TARGET_IS(&t, "hits", 1000);
    TARGET_IS(&t, "replaced", 0);
    CHECK(target_lines(t.err) == 1 && strstr(t.err, "loaded while threads run"), "stderr: '%s'",
          t.err);
}

int main(void)
{
    static const char *const all[] = {"./libssl-gcc-O2.so", "./libssl-copy.so",
                                      "./libssl-clang-O2.so"};

    check("together", all[0], all[1], all[2]);
    check("beside", all[2], all[1], all[0]);
    check("reload", all[0], all[1], all[0]);
    check("reload", all[0], all[0], all[0]);
    for (int i = 0; i < 20; i++)
        check("race", all[i % 3], all[(i + 1) % 3], all[i % 2]);
    check_busy();
    return CHECK_PASS;
}
