// SPDX-License-Identifier: MIT
// claim: of callers that are counters `uncontend stat` prints the right SPEC, of those that are not
// it prints none; with the printed SPECs the program counts the same, without the locks
// plain
// time: 60
#include "lib/hot.h"
#include "lib/tool.h"

// Called through pointers that are not known: no constant may take the place of an argument.
#define NOINLINE __attribute__((noinline))

struct box {
    pthread_rwlock_t lock;
    uint64_t hits;
    int32_t level;
    uint32_t parts;
    uint64_t bytes;
    uint64_t other;
    uint64_t more;
    uint64_t chosen;
    uint64_t apart;
};

static struct box box = {.lock = PTHREAD_RWLOCK_INITIALIZER};

NOINLINE static void count_hit(struct box *b)
{
    pthread_rwlock_wrlock(&b->lock);
    b->hits++;
    pthread_rwlock_unlock(&b->lock);
}

NOINLINE static int32_t lower_level(int unused, struct box *b)
{
    int32_t level;

    (void)unused;
    pthread_rwlock_wrlock(&b->lock);
    level = b->level -= 3;
    pthread_rwlock_unlock(&b->lock);
    return level;
}

NOINLINE static uint32_t fetch_parts(uint32_t *parts, pthread_rwlock_t *lock)
{
    uint32_t before;

    pthread_rwlock_wrlock(lock);
    before = (*parts)++;
    pthread_rwlock_unlock(lock);
    return before;
}

NOINLINE static void add_bytes(struct box *b, uint64_t n)
{
    pthread_rwlock_wrlock(&b->lock);
    b->bytes += n;
    pthread_rwlock_unlock(&b->lock);
}

NOINLINE static void two_fields(struct box *b)
{
    pthread_rwlock_wrlock(&b->lock);
    b->other++;
    b->more += 2;
    pthread_rwlock_unlock(&b->lock);
}

NOINLINE static void sometimes(struct box *b)
{
    pthread_rwlock_wrlock(&b->lock);
    if (b->other < 1000000)
        b->other++;
    pthread_rwlock_unlock(&b->lock);
}

// Not of the box: which one it is depends on what is in it.
NOINLINE static void indirect(struct box **b)
{
    pthread_rwlock_wrlock(&(*b)->lock);
    (*b)->apart++;
    pthread_rwlock_unlock(&(*b)->lock);
}

// One of two: no argument alone says which.
NOINLINE static void either(struct box *a, struct box *b)
{
    struct box *one;

    if (a->level > b->level) {
        one = a;
        __asm__ volatile("" : "+r"(one)); // two ways, not one instruction that chooses
    } else {
        one = b;
        __asm__ volatile("" : "+r"(one));
    }
    pthread_rwlock_wrlock(&box.lock);
    one->chosen++;
    pthread_rwlock_unlock(&box.lock);
}

static void (*volatile call_count_hit)(struct box *) = count_hit;
static int32_t (*volatile call_lower_level)(int, struct box *) = lower_level;
static uint32_t (*volatile call_fetch_parts)(uint32_t *, pthread_rwlock_t *) = fetch_parts;
static void (*volatile call_add_bytes)(struct box *, uint64_t) = add_bytes;
static void (*volatile call_two_fields)(struct box *) = two_fields;
static void (*volatile call_sometimes)(struct box *) = sometimes;
static void (*volatile call_indirect)(struct box **) = indirect;
static void (*volatile call_either)(struct box *, struct box *) = either;
static void do_hit(void)
{
    call_count_hit(&box);
}
static void do_level(void)
{
    call_lower_level(7, &box);
}
static void do_parts(void)
{
    call_fetch_parts(&box.parts, &box.lock);
}
static void do_bytes(void)
{
    call_add_bytes(&box, 5);
}
static void do_two(void)
{
    call_two_fields(&box);
}
static void do_sometimes(void)
{
    call_sometimes(&box);
}

static void do_indirect(void)
{
    struct box *b = &box;

    call_indirect(&b);
}

static void do_either(void)
{
    struct box copy = {.level = INT32_MIN};

    call_either(&copy, &box);
}

static const struct {
    void (*fn)(void);
    const char *name, *spec; // OPERATION(...), NULL: none
} rows[] = {
    {do_hit, "count_hit", "add64(arg0+0x38)"},
    {do_level, "lower_level", "sub32(arg1+0x40,3)"},
    {do_parts, "fetch_parts", "fetch_add32(arg0)"},
    {do_bytes, "add_bytes", "add64(arg0+0x48,arg1)"},
    {do_two, "two_fields", NULL},
    {do_sometimes, "sometimes", NULL},
    {do_indirect, "indirect", NULL},
    {do_either, "either", NULL},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static size_t turn;

static void *run_row(void *unused)
{
    rows[turn].fn();
    return unused;
}

// Each is made to wait once; with its lock replaced it has no need to.
static int target(void)
{
    const char *replaced = getenv("REPLACED");

    CHECK_IS(offsetof(struct box, hits), 0x38);
    for (turn = 0; turn < ROWS; turn++) {
        if (replaced && rows[turn].spec) {
            CHECK_IS(pthread_rwlock_wrlock(&box.lock), 0);
            check_join(check_thread(run_row, NULL));
            CHECK_IS(pthread_rwlock_unlock(&box.lock), 0);
        } else {
            hot_wait_once(&box.lock, run_row);
        }
    }
    CHECK_IS(call_lower_level(0, &box), -6);
    CHECK_IS(call_fetch_parts(&box.parts, &box.lock), 1);
    CHECK_IS(box.hits, 1);
    CHECK_IS(box.parts, 2);
    CHECK_IS(box.bytes, 5);
    CHECK_IS(box.other, 2);
    CHECK_IS(box.chosen, 1);
    CHECK_IS(box.apart, 1);
    tool_wait();
    return CHECK_PASS;
}

// The SPEC of a function's row in the last output; "" if there is none.
static void spec_of(const char *name, char *spec, size_t capacity)
{
    char key[128];
    const char *at, *end;

    snprintf(key, sizeof(key), "+%s\"", name);
    at = strstr(tool_out, key);
    CHECK(at != NULL, "%s is not listed: %s", name, tool_out);
    at = strstr(at, "\"spec\":\"");
    CHECK(at != NULL, "%s", tool_out);
    at += strlen("\"spec\":\"");
    end = strchr(at, '"');
    snprintf(spec, capacity, "%.*s", (int)(end - at), at);
}

int main(int argc, char **argv)
{
    static char setting[1024] = "UNCONTEND_COUNTERS=auto";
    char spec[256], expected[256];
    pid_t process;
    int leash;

    (void)argv;
    if (argc > 1)
        return target();
    check_deadline(50);
    process = tool_start("target", (char *[]){"A=", NULL}, &leash);
    TOOL_IS(0, "", "stat", "-j", tool_number(process));
    tool_end(process, leash);
    for (size_t i = 0; i < ROWS; i++) {
        spec_of(rows[i].name, spec, sizeof(spec));
        snprintf(expected, sizeof(expected), ":%s=%s", rows[i].name, rows[i].spec);
        CHECK(strcmp(spec, rows[i].spec ? expected : "") == 0, "%s: expected '%s', got '%s'",
              rows[i].name, rows[i].spec ? expected : "", spec);
        if (!rows[i].spec)
            continue;
        strcat(setting, ";");
        strcat(setting, spec);
    }
    process = tool_start("target", (char *[]){setting, "REPLACED=1", NULL}, &leash);
    TOOL_IS(0, "", "stat", "-j", tool_number(process));
    CHECK_IS(dump_occurrences(tool_out, "\"replaced\":true"), 4);
    tool_end(process, leash);
    return CHECK_PASS;
}
