// SPDX-License-Identifier: MIT
// claim: read locks that are held when a plug-in is loaded with RTLD_DEEPBIND keep its writers out
// matrix: locks
#include "lib/plugin.h"

static pthread_rwlock_t mine, nested, theirs;
static struct way plugin;

static void check_held(pthread_rwlock_t *lock, const char *name)
{
    CHECK(plugin.try_write(lock) == EBUSY, "%s: the plug-in wrote although it was read", name);
    CHECK_IS(pthread_rwlock_trywrlock(lock), EBUSY);
}

static void check_free(pthread_rwlock_t *lock, const char *name)
{
    CHECK(plugin.try_write(lock) == 0, "%s: the plug-in cannot write a free lock", name);
    CHECK_IS(pthread_rwlock_tryrdlock(lock), EBUSY);
    CHECK_IS(plugin.unlock(lock), 0);
}

int main(void)
{
    static struct actor reader, writer;

    locks_deadline();
    actor_start(&reader);
    actor_start(&writer);
    lock_warm(&mine);
    lock_warm(&nested);
    lock_warm(&theirs);
    CHECK_IS(pthread_rwlock_rdlock(&mine), 0);
    CHECK_IS(pthread_rwlock_rdlock(&nested), 0);
    CHECK_IS(pthread_rwlock_rdlock(&nested), 0);
    CHECK_IS(actor_do(&reader, pthread_rwlock_rdlock, &theirs), 0);
    plugin = plugin_deepbind();
    check_held(&mine, "lock of the loading thread");
    check_held(&nested, "nested lock of the loading thread");
    check_held(&theirs, "lock of another thread");
    CHECK_IS(pthread_rwlock_rdlock(&nested), 0);
    release(&nested);
    release(&nested);
    check_held(&nested, "nested lock of the loading thread");
    actor_ask(&writer, plugin.write, &theirs);
    CHECK_BLOCKS(&writer, "the plug-in's wrlock behind a reader");
    CHECK_IS(actor_do(&reader, pthread_rwlock_unlock, &theirs), 0);
    CHECK_IS(actor_answer(&writer), 0);
    CHECK_IS(actor_do(&writer, plugin.unlock, &theirs), 0);
    release(&mine);
    release(&nested);
    check_free(&mine, "lock of the loading thread");
    check_free(&nested, "nested lock of the loading thread");
    check_free(&theirs, "lock of another thread");
    return 0;
}
