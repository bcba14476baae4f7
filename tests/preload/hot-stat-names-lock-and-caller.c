// SPDX-License-Identifier: MIT
// claim: `uncontend stat` shows who waited for which lock, how often and how long, by the names of
// function and lock, for plain, timed and try forms, readers and writers, with bias and without
// plain
#include "lib/hot.h"
#include "lib/tool.h"

enum { WRITES = 3, READS = 2 };

pthread_rwlock_t planted_lock = PTHREAD_RWLOCK_INITIALIZER;
static uint64_t least;

static void *planted_writer(void *lock)
{
    CHECK_IS(pthread_rwlock_wrlock(lock), 0);
    CHECK_IS(pthread_rwlock_unlock(lock), 0);
    return NULL;
}

static void *planted_reader(void *lock)
{
    CHECK_IS(pthread_rwlock_rdlock(lock), 0);
    CHECK_IS(pthread_rwlock_unlock(lock), 0);
    return NULL;
}

static void *planted_timed_writer(void *lock)
{
    struct timespec late = {.tv_sec = INT32_MAX};

    CHECK_IS(pthread_rwlock_timedwrlock(lock, &late), 0);
    CHECK_IS(pthread_rwlock_unlock(lock), 0);
    return NULL;
}

static void *planted_clock_reader(void *lock)
{
    struct timespec late = {.tv_sec = INT32_MAX};

    CHECK_IS(pthread_rwlock_clockrdlock(lock, CLOCK_MONOTONIC, &late), 0);
    CHECK_IS(pthread_rwlock_unlock(lock), 0);
    return NULL;
}

__attribute__((noinline)) static void planted_trier(void)
{
    CHECK_IS(pthread_rwlock_trywrlock(&planted_lock), EBUSY);
    CHECK_IS(pthread_rwlock_tryrdlock(&planted_lock), EBUSY);
    __asm__ volatile("");
}

static void *try_it(void *unused)
{
    planted_trier();
    return unused;
}

static int target(void)
{
    for (int i = 0; i < WRITES; i++)
        least += hot_wait_once(&planted_lock, planted_writer);
    for (int i = 0; i < READS; i++)
        hot_wait_once(&planted_lock, planted_reader);
    hot_wait_once(&planted_lock, planted_timed_writer);
    hot_wait_once(&planted_lock, planted_clock_reader);
    CHECK_IS(pthread_rwlock_wrlock(&planted_lock), 0);
    check_join(check_thread(try_it, NULL));
    CHECK_IS(pthread_rwlock_unlock(&planted_lock), 0);
    tool_wait();
    check_write(atoi(getenv("BACK")), &least, sizeof(least));
    return CHECK_PASS;
}

// The JSON object of one row.
static const char *row(const char *caller, const char *mode)
{
    char name[128], begin[64];

    snprintf(name, sizeof(name), "\"caller_name\":\"hot-stat-names-lock-and-caller+%s\"", caller);
    snprintf(begin, sizeof(begin), "{\"mode\":\"%s\"", mode);
    for (const char *at = tool_out; (at = strstr(at, begin)) != NULL; at++) {
        const char *end = strchr(at, '}'), *found = strstr(at, name);

        if (found && found < end)
            return at;
    }
    FAIL("no row of %s %s: %s", mode, caller, tool_out);
}

static void expect(const char *caller, const char *mode, uint64_t tries, uint64_t waits)
{
    const char *at = row(caller, mode);
    const char *end = strchr(at, '}');
    const char *lock = strstr(at, "\"lock_name\":\"hot-stat-names-lock-and-caller+planted_lock\"");

    CHECK(lock && lock < end, "%s: the lock has another name: %s", caller, at);
    CHECK_IS(tool_json(at, "tries"), tries);
    CHECK_IS(tool_json(at, "waits"), waits);
    CHECK(strstr(at, "\"spec\":\"\"") < end, "%s is taken for a counter: %s", caller, at);
}

static void try_with(char *setting)
{
    int leash, back[2];
    char back_setting[32];
    uint64_t waited, longest;
    struct timespec from, to;
    pid_t process;

    CHECK_CALL(pipe(back));
    snprintf(back_setting, sizeof(back_setting), "BACK=%d", back[1]);
    clock_gettime(CLOCK_MONOTONIC, &from);
    process = tool_start("target", (char *[]){back_setting, setting, NULL}, &leash);
    TOOL_IS(0, "", "stat", "-j", tool_number(process));
    clock_gettime(CLOCK_MONOTONIC, &to);
    expect("planted_writer", "write", WRITES, WRITES);
    expect("planted_reader", "read", READS, READS);
    expect("planted_timed_writer", "write", 1, 1);
    expect("planted_clock_reader", "read", 1, 1);
    expect("planted_trier", "write", 1, 0);
    expect("planted_trier", "read", 1, 0);
    waited = tool_json(row("planted_writer", "write"), "waited_ns");
    longest = tool_json(row("planted_writer", "write"), "longest_ns");
    tool_end(process, leash);
    CHECK_IS(check_read(back[0], &least, sizeof(least)), sizeof(least));
    // The two clocks were read one after the other: a tenth is far more than they may differ.
    CHECK(waited > least - least / 10, "waited %lu ns, at least %lu", waited, least);
    CHECK(longest <= waited && longest >= waited / WRITES, "longest %lu of %lu", longest, waited);
    CHECK(waited < (uint64_t)(to.tv_sec - from.tv_sec + 1) * WRITES * 1000000000U,
          "waited %lu ns, more than it ran", waited);
    close(back[0]);
    close(back[1]);
}

int main(int argc, char **argv)
{
    static char modes[][40] = {"UNCONTEND_LOCKS=on", "UNCONTEND_LOCKS=spin",
                               "UNCONTEND_TEST_EAGER_BIAS=on"};

    (void)argv;
    if (argc > 1)
        return target();
    check_deadline(25);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        try_with(modes[i]);
    return CHECK_PASS;
}
