// SPDX-License-Identifier: MIT
// claim: exclusion holds between the program and a plug-in that RTLD_DEEPBIND ties to libc's locks
// matrix: locks
#include "lib/plugin.h"

int main(void)
{
    static pthread_rwlock_t read_before;
    struct way plugin;

    locks_deadline();
    lock_warm(&read_before);
    plugin = plugin_deepbind();
    CHECK_IS(pthread_rwlock_rdlock(&read_before), 0);
    CHECK_IS(plugin.try_write(&read_before), EBUSY);
    release(&read_before);
    CHECK_IS(plugin.try_write(&read_before), 0);
    CHECK_IS(pthread_rwlock_tryrdlock(&read_before), EBUSY);
    CHECK_IS(plugin.unlock(&read_before), 0);
    versus(&plain_names, &plugin);
    return 0;
}
