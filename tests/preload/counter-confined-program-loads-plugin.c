// SPDX-License-Identifier: MIT
// claim: a counter in a plug-in that is loaded after a filter that kills for memfd_create, or for
// memory that is made executable, counts right, and the program lives
// run: UNCONTEND_COUNTERS=libodd*:odd_slots=add64(arg0+0x58)
// run: UNCONTEND_COUNTERS=libodd*:odd_slots=add64(arg0+0x58) with=no-memfd
#include "lib/confine.h"
#include "lib/target.h"

#include <dlfcn.h>

#include "../targets/odd.h"

enum { CALLS = 1000 };

static void forbid_memfd(void)
{
    CONFINE(CONFINE_ALL_THREADS, SYS_memfd_create);
}

// The dynamic linker has to be allowed mprotect() without PROT_EXEC.
static void forbid_making_code(void)
{
    struct sock_filter code[] = {
        FAULT_LOAD(nr),
        FAULT_UNLESS(SYS_mprotect, 3),
        FAULT_LOAD(args[2]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
        FAULT_RETURN(SECCOMP_RET_KILL_PROCESS),
        FAULT_RETURN(SECCOMP_RET_ALLOW),
    };

    confine_by(CONFINE_ALL_THREADS, code, sizeof(code) / sizeof(code[0]));
}

static int live(void *arg)
{
    static struct odd_state state = {.lock = PTHREAD_RWLOCK_INITIALIZER};
    void (*const *forbid)(void) = arg;
    pthread_rwlock_t own;
    char path[1100];
    int (*call)(const char *, struct odd_state *, uint64_t);
    void *plugin;

    snprintf(path, sizeof(path), "%s/libodd-gcc-O2.so", target_directory());
    (*forbid)();
    plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(plugin, "%s", dlerror());
    *(void **)&call = dlsym(plugin, "odd_call");
    CHECK(call, "%s", dlerror());
    CHECK_IS(pthread_rwlock_init(&own, NULL), 0); // that a plug-in's locks are about to be used
    CHECK_IS(call("odd_slots", &state, CALLS), 0);
    CHECK_IS(state.count, CALLS);
    CHECK_IS(pthread_rwlock_trywrlock(&state.lock), 0);
    return CHECK_PASS;
}

int main(void)
{
    static void (*const forbids[])(void) = {forbid_memfd, forbid_making_code};

    check_deadline(20);
    for (int i = 0; i < 2; i++)
        CHECK_IS(check_in_child(live, (void *)(uintptr_t)&forbids[i]), CHECK_PASS);
    return CHECK_PASS;
}
