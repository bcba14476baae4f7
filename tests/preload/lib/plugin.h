// SPDX-License-Identifier: MIT
// Finds the plug-in that was built beside the test programs, loads it in the wanted way and gives
// its functions as a way of locking.
#ifndef PLUGIN_H
#define PLUGIN_H

#include "versus.h"

#include <dlfcn.h>
#include <limits.h>

static inline const char *plugin_path(void)
{
    static char path[PATH_MAX + 64];
    ssize_t length = CHECK_CALL(readlink("/proc/self/exe", path, PATH_MAX));
    char *slash;

    path[length] = '\0';
    slash = strrchr(path, '/');
    CHECK(slash, "%s", path);
    strcpy(slash + 1, "plugin/lock-deepbind-plugin.so");
    return path;
}

static inline lock_function *plugin_function(void *plugin, const char *name)
{
    lock_function *found = (lock_function *)dlsym(plugin, name);

    CHECK(found, "%s: %s", name, dlerror());
    return found;
}

static inline struct way plugin_way(void *plugin)
{
    CHECK(plugin, "%s", dlerror());
    return (struct way){
        plugin_function(plugin, "plugin_read"),   plugin_function(plugin, "plugin_try_read"),
        plugin_function(plugin, "plugin_write"),  plugin_function(plugin, "plugin_try_write"),
        plugin_function(plugin, "plugin_unlock"),
    };
}

static inline struct way plugin_deepbind(void)
{
    return plugin_way(dlopen(plugin_path(), RTLD_NOW | RTLD_DEEPBIND));
}

#endif
