// SPDX-License-Identifier: MIT
// The plug-in's own binding keeps the library that it draws from; bound to ours it would not.
// claim: a plug-in draws after the program closed the library that it draws from, and is unloaded
// when it is closed itself; so it is without the preload
// run: UNCONTEND_RAND_BYTES=off
// run: UNCONTEND_RAND_BYTES=on UNCONTEND_RANDOM=system
// compare
#include "lib/check.h"
#include <dlfcn.h>

static char folder[4096];

static void *open_plugin(const char *name, int flags)
{
    char path[4200];

    snprintf(path, sizeof(path), "%s/plugin/%s.so", folder, name);
    return dlopen(path, flags);
}

int main(void)
{
    ssize_t n = CHECK_CALL(readlink("/proc/self/exe", folder, sizeof(folder) - 1));
    void *maker, *user;
    int (*draw)(unsigned char *, int);
    unsigned char drawn[2];

    folder[n] = '\0';
    *strrchr(folder, '/') = '\0';
    maker = open_plugin("rand-maker", RTLD_NOW | RTLD_GLOBAL);
    user = open_plugin("rand-user", RTLD_LAZY);
    CHECK(maker && user, "%s", dlerror());
    draw = (int (*)(unsigned char *, int))dlsym(user, "plugin_draw");
    CHECK(draw != NULL, "%s", dlerror());
    for (int i = 0; i < 3; i++) {
        memset(drawn, 0, sizeof(drawn));
        CHECK_IS(draw(drawn, 1), 1);
        CHECK_IS(drawn[0], 0x5a);
        CHECK_IS(drawn[1], 0);
        if (i == 0)
            CHECK_IS(dlclose(maker), 0);
    }
    CHECK_IS(dlclose(user), 0);
    CHECK(open_plugin("rand-user", RTLD_LAZY | RTLD_NOLOAD) == NULL, "it is still loaded");
    return CHECK_PASS;
}
