// SPDX-License-Identifier: MIT
// dlopen, dlmopen and dlvsym, for two questions: may there be counters to look for, and will
// somebody use libc's lock functions past us? A writer who does never hears of reader bias, so bias
// ends before. Nothing else may change: libc reads its caller's address off the stack to choose
// search paths and scope, so these jump to the originals and never call them.
#include <dlfcn.h>
#include <string.h>

#include "bias.h"
#include "counter.h"
#include "jump.h"
#include "libc.h"
#include "real.h"

UC_JUMP_ASKED uc_jump *uc_dlopen_prepare(const char *file, int mode);

static void nothing(void)
{
}

static uc_jump *original(uc_jump **place, const char *name)
{
    if (!*place)
        *place = (uc_jump *)dlsym(RTLD_NEXT, name);
    return *place ? *place : nothing;
}

// A handle on libc itself finds libc's functions. For musl many names are names of itself, whatever
// comes behind.
static bool is_libc(const char *file)
{
    static const char *const glibc[] = {"libc.so.6", "libpthread.so.0", NULL};
    static const char *const musl[] = {"libc.",    "libpthread.", "librt.",   "libm.", "libdl.",
                                       "libutil.", "libxnet.",    "ld-musl-", NULL};
    const char *slash = file ? strrchr(file, '/') : NULL;
    const char *name = slash ? slash + 1 : file;
    for (const char *const *own = UC_GLIBC ? glibc : musl; name && *own; own++) {
        if (UC_GLIBC ? strcmp(name, *own) == 0 : strncmp(name, *own, strlen(*own)) == 0)
            return true;
    }
    return false;
}

static void notice(const char *file, bool own_scope)
{
    uc_counter_expect();
    if (own_scope)
        uc_bias_forbid("a plug-in with a scope of its own may use libc's locks past us", true);
    else if (is_libc(file))
        uc_bias_forbid("the program opened libc itself and may use its locks past us", true);
}

uc_jump *uc_dlopen_prepare(const char *file, int mode)
{
    static uc_jump *next;
    notice(file, mode & RTLD_DEEPBIND);
    return original(&next, "dlopen");
}

#if UC_GLIBC // musl has one scope, and no versions

UC_JUMP_ASKED uc_jump *uc_dlmopen_prepare(Lmid_t where, const char *file, int mode);
UC_JUMP_ASKED uc_jump *uc_dlvsym_prepare(void *handle, const char *name, const char *version);

uc_jump *uc_dlmopen_prepare(Lmid_t where, const char *file, int mode)
{
    static uc_jump *next;
    notice(file, where != LM_ID_BASE || (mode & RTLD_DEEPBIND));
    return original(&next, "dlmopen");
}

// Our symbols have no version, so a search for one always passes us by.
uc_jump *uc_dlvsym_prepare(void *handle, const char *name, const char *version)
{
    static uc_jump *next;
    (void)handle;
    (void)version;
    if (name && strstr(name, "pthread_rwlock_"))
        uc_bias_forbid("the program searched for a version of libc's locks, past us", true);
    return original(&next, "dlvsym");
}

#endif

UC_JUMP(dlopen);
#if UC_GLIBC
UC_JUMP(dlmopen);
UC_JUMP(dlvsym);
#endif
