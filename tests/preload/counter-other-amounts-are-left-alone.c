// SPDX-License-Identifier: MIT
// claim: functions that add something else than one of their arguments, or to a counter of which
// no argument alone says where it is, get no SPEC from `uncontend stat`, and are left alone when a
// SPEC says that they do
// plain
// time: 60
#include "lib/hot.h"
#include "lib/tool.h"

#define NOINLINE __attribute__((noinline))

struct box {
    pthread_rwlock_t lock;
    uint64_t both, twofold, shifted, widened, cut, chosen;
    struct box *other;
};

static struct box second = {.lock = PTHREAD_RWLOCK_INITIALIZER};
static struct box box = {.lock = PTHREAD_RWLOCK_INITIALIZER, .other = &second};

NOINLINE static void add_both(struct box *b, uint64_t n, uint64_t m)
{
    pthread_rwlock_wrlock(&b->lock);
    b->both += n + m;
    pthread_rwlock_unlock(&b->lock);
}

NOINLINE static void add_twofold(struct box *b, uint64_t n, uint64_t m)
{
    (void)m;
    pthread_rwlock_wrlock(&b->lock);
    b->twofold += n + n;
    pthread_rwlock_unlock(&b->lock);
}

NOINLINE static void add_shifted(struct box *b, uint64_t n, uint64_t m)
{
    (void)m;
    pthread_rwlock_wrlock(&b->lock);
    b->shifted += n << 3;
    pthread_rwlock_unlock(&b->lock);
}

// What is behind the lower 32 bits of an int's register is nobody's.
NOINLINE static void add_widened(struct box *b, uint64_t n, uint64_t m)
{
    (void)m;
    pthread_rwlock_wrlock(&b->lock);
    b->widened += (uint64_t)(int32_t)n;
    pthread_rwlock_unlock(&b->lock);
}

NOINLINE static void add_cut(struct box *b, uint64_t n, uint64_t m)
{
    (void)n;
    (void)m;
    pthread_rwlock_wrlock(&b->lock);
    b->cut = (uint32_t)(b->cut + 1);
    pthread_rwlock_unlock(&b->lock);
}

NOINLINE static void add_chosen(struct box *b, uint64_t n, uint64_t m)
{
    struct box *one = n > m ? b : b->other;

    pthread_rwlock_wrlock(&b->lock);
    one->chosen++;
    pthread_rwlock_unlock(&b->lock);
}

typedef void add_fn(struct box *, uint64_t, uint64_t);

static const struct {
    add_fn *fn;
    const char *spec; // wrong
} rows[] = {
    {add_both, ":add_both=add64(arg0+0x38,arg2)"},
    {add_twofold, ":add_twofold=add64(arg0+0x40,arg1)"},
    {add_shifted, ":add_shifted=add64(arg0+0x48,arg1)"},
    {add_widened, ":add_widened=add64(arg0+0x50,arg1)"},
    {add_cut, ":add_cut=add64(arg0+0x58)"},
    {add_chosen, ":add_chosen=add64(arg0+0x60)"},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static volatile size_t turn;

static void *run_row(void *unused)
{
    rows[turn].fn(&box, (uint64_t)-5, 0xfffffffffffffff0U);
    return unused;
}

// Each is made to wait once, when nobody may have taken its lock away.
static int target(void)
{
    CHECK_IS(offsetof(struct box, both), 0x38);
    box.cut = UINT32_MAX;
    for (size_t i = 0; i < ROWS; i++) {
        turn = i;
        if (getenv("UNCONTEND_COUNTERS"))
            run_row(NULL);
        else
            hot_wait_once(&box.lock, run_row);
    }
    CHECK_IS(box.both, (uint64_t)-21);
    CHECK_IS(box.twofold, (uint64_t)-10);
    CHECK_IS(box.shifted, (uint64_t)-40);
    CHECK_IS(box.widened, (uint64_t)-5);
    CHECK_IS(box.cut, 0);
    CHECK_IS(box.chosen, 1);
    tool_wait();
    return CHECK_PASS;
}

int main(int argc, char **argv)
{
    static char setting[1024] = "UNCONTEND_COUNTERS=auto";
    pid_t process;
    int leash;

    (void)argv;
    if (argc > 1)
        return target();
    check_deadline(50);
    process = tool_start("target", (char *[]){"A=", NULL}, &leash);
    TOOL_IS(0, "", "stat", "-j", tool_number(process));
    tool_end(process, leash);
    CHECK(strstr(tool_out, "+add_cut\""), "the callers are not listed: %s", tool_out);
    CHECK(!strstr(tool_out, "\"spec\":\":"), "a SPEC: %s", tool_out);
    for (size_t i = 0; i < ROWS; i++) {
        strcat(setting, ";");
        strcat(setting, rows[i].spec);
    }
    process = tool_start("target", (char *[]){setting, NULL}, &leash);
    TOOL_IS(0, "", "stat", "-j", tool_number(process));
    tool_end(process, leash);
    CHECK_IS(dump_occurrences(tool_out, "\"replaced\":false"), ROWS);
    return CHECK_PASS;
}
