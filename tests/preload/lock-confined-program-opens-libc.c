// SPDX-License-Identifier: MIT
// claim: a program that shut itself in with a filter that kills for membarrier can then load libc,
// a plug-in with a scope of its own, or search for a version of its lock functions
// run: UNCONTEND_TEST_EAGER_BIAS=on
// run: UNCONTEND_TEST_EAGER_BIAS=off
// run: UNCONTEND_LOCKS=spin
//
// Each gives it functions that know nothing of fast readers, of which there are some at the time.
#include "lib/confine.h"
#include "lib/found.h"
#include "lib/plugin.h"

static pthread_rwlock_t lock;
static struct actor reader;

static struct way open_libc(void)
{
    return find_way(dlopen("libc.so.6", RTLD_NOW), NULL);
}

static struct way search_version(void)
{
    return find_way(RTLD_DEFAULT, "GLIBC_2.2.5");
}

static struct way (*const ways[])(void) = {open_libc, search_version, plugin_deepbind};

static int live(void *arg)
{
    struct way (*const *find)(void) = arg;
    struct way found;

    actor_start(&reader);
    read_times(&lock, WARM_READS);
    CHECK_IS(actor_do(&reader, warm_and_hold, &lock), 0);
    CONFINE(CONFINE_ALL_THREADS, SYS_membarrier);
    found = (*find)();
    CHECK_IS(found.try_write(&lock), EBUSY);
    CHECK_IS(actor_do(&reader, pthread_rwlock_unlock, &lock), 0);
    CHECK_IS(found.try_write(&lock), 0);
    CHECK_IS(actor_do(&reader, pthread_rwlock_tryrdlock, &lock), EBUSY);
    CHECK_IS(found.unlock(&lock), 0);
    CHECK_IS(actor_do(&reader, warm_and_hold, &lock), 0);
    CHECK_IS(found.try_write(&lock), EBUSY);
    return CHECK_PASS;
}

int main(void)
{
    locks_deadline();
    for (int i = 0; i < LOCKS_COUNT(ways); i++)
        CHECK_IS(check_in_child(live, (void *)(uintptr_t)&ways[i]), CHECK_PASS);
    return CHECK_PASS;
}
