// SPDX-License-Identifier: MIT
// claim: a SPEC that says where its function is in which build is honoured in that build alone, and
// where a function of that size begins alone; anything else is one line, and nothing is changed.
// matrix: code
#include "lib/target.h"

static void read_line(const char *command, char *line, size_t room)
{
    FILE *f = popen(command, "r");

    CHECK(f && fgets(line, (int)room, f), "no answer: %s", command);
    line[strcspn(line, "\n")] = '\0';
    pclose(f);
}

static void check(const char *place, const char *reason)
{
    static struct target t;
    char counters[512];

    memset(&t, 0, sizeof(t));
    snprintf(counters, sizeof(counters),
             "libcache*:cache_hit@%s=add64(arg0+0x60);libcache*:cache_miss=add64(arg0+0x68,arg1)",
             place);
    t.counters = counters;
    target_run(&t, "stripped/cache-gcc-O2", (const char *[]){"4", "1000", NULL});
    CHECK(t.status == 0, "%s ended with %d: %s", place, t.status, t.err);
    TARGET_IS(&t, "hits", 5000);
    TARGET_IS(&t, "wrong", 0);
    TARGET_IS(&t, "replaced", reason ? 0 : 1);
    // The second SPEC names a symbol that was stripped.
    CHECK(target_lines(t.err) == (reason ? 2 : 1), "%s: stderr: '%s'", place, t.err);
    CHECK(!reason || strstr(t.err, reason), "%s: '%s' should be said, not '%s'", place, reason,
          t.err);
}

int main(void)
{
    static const char no_function[] = "no function of that size begins there";
    char command[2048], id[128], symbol[64], place[256], wrong[128];
    unsigned long value, size;
    char *preload = strdup(getenv("LD_PRELOAD"));

    unsetenv("LD_PRELOAD");
    snprintf(command, sizeof(command),
             "readelf -nW %1$s/libcache-gcc-O2.so | sed -n 's/.*Build ID: //p'",
             target_directory());
    read_line(command, id, sizeof(id));
    snprintf(command, sizeof(command), "nm -S %s/libcache-gcc-O2.so | grep ' cache_hit$'",
             target_directory());
    read_line(command, symbol, sizeof(symbol));
    CHECK_IS(sscanf(symbol, "%lx %lx", &value, &size), 2);
    setenv("LD_PRELOAD", preload, 1);

    snprintf(place, sizeof(place), "%#lx+%#lx/%s", value, size, id);
    check(place, NULL);
    snprintf(place, sizeof(place), "%#lx+%#lx/%s", value + 1, size - 1, id);
    check(place, no_function);
    snprintf(place, sizeof(place), "%#lx+%#lx/%s", value - 16, size, id);
    check(place, no_function);
    snprintf(place, sizeof(place), "%#lx+%#lx/%s", value, size - 1, id);
    check(place, no_function);
    snprintf(place, sizeof(place), "%#lx+%#lx/%s", value + (1UL << 40), size, id);
    check(place, "is not in read-only code");
    snprintf(wrong, sizeof(wrong), "%s", id);
    wrong[0] = wrong[0] == 'a' ? 'b' : 'a';
    snprintf(place, sizeof(place), "%#lx+%#lx/%s", value, size, wrong);
    check(place, "location: no such object is of that build");
    snprintf(place, sizeof(place), "%#lx+%#lx/%.8s", value, size, id);
    check(place, "location: no such object is of that build");
    return CHECK_PASS;
}
