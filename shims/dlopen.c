// SPDX-License-Identifier: MIT
// dlopen, dlmopen and dlvsym, for two questions: may there be counters to look for, and will
// somebody use libc's lock functions past us? A writer who does never hears of reader bias, so bias
// ends before. Nothing else may change: libc reads its caller's address off the stack to choose
// search paths and scope, so these jump to the originals and never call them.
#include <dlfcn.h>
#include <string.h>

#include "bias.h"
#include "counter.h"
#include "libc.h"
#include "real.h"

typedef void jump(void); // where to go; the arguments are in their registers

// Called from assembly alone.
#define ASKED __attribute__((visibility("hidden"), used))

ASKED jump *uc_dlopen_prepare(const char *file, int mode);

static void nothing(void)
{
}

static jump *original(jump **place, const char *name)
{
    if (!*place)
        *place = (jump *)dlsym(RTLD_NEXT, name);
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
        uc_bias_forbid("a plug-in with a scope of its own may use libc's locks past us");
    else if (is_libc(file))
        uc_bias_forbid("the program opened libc itself and may use its locks past us");
}

jump *uc_dlopen_prepare(const char *file, int mode)
{
    static jump *next;
    notice(file, mode & RTLD_DEEPBIND);
    return original(&next, "dlopen");
}

#if UC_GLIBC // musl has one scope, and no versions

ASKED jump *uc_dlmopen_prepare(Lmid_t where, const char *file, int mode);
ASKED jump *uc_dlvsym_prepare(void *handle, const char *name, const char *version);

jump *uc_dlmopen_prepare(Lmid_t where, const char *file, int mode)
{
    static jump *next;
    notice(file, where != LM_ID_BASE || (mode & RTLD_DEEPBIND));
    return original(&next, "dlmopen");
}

// Our symbols have no version, so a search for one always passes us by.
jump *uc_dlvsym_prepare(void *handle, const char *name, const char *version)
{
    static jump *next;
    (void)handle;
    (void)version;
    if (name && strstr(name, "pthread_rwlock_"))
        uc_bias_forbid("the program searched for a version of libc's locks, past us");
    return original(&next, "dlvsym");
}

#endif

// SHIM(name, (parameters)): calls uc_<name>_prepare, then jumps to where it says.
#if defined(__x86_64__)
// Three words pushed keep the stack aligned for the call.
#define SHIM(name, parameters)                                                                     \
    void *name parameters;                                                                         \
    __asm__(".text\n"                                                                              \
            ".p2align 4\n"                                                                         \
            ".globl " #name "\n"                                                                   \
            ".type " #name ", @function\n" #name ":\n\t"                                           \
            ".cfi_startproc\n\t"                                                                   \
            "endbr64\n\t"                                                                          \
            "pushq %rdi\n\t"                                                                       \
            ".cfi_adjust_cfa_offset 8\n\t"                                                         \
            "pushq %rsi\n\t"                                                                       \
            ".cfi_adjust_cfa_offset 8\n\t"                                                         \
            "pushq %rdx\n\t"                                                                       \
            ".cfi_adjust_cfa_offset 8\n\t"                                                         \
            "call uc_" #name "_prepare\n\t"                                                        \
            "popq %rdx\n\t"                                                                        \
            ".cfi_adjust_cfa_offset -8\n\t"                                                        \
            "popq %rsi\n\t"                                                                        \
            ".cfi_adjust_cfa_offset -8\n\t"                                                        \
            "popq %rdi\n\t"                                                                        \
            ".cfi_adjust_cfa_offset -8\n\t"                                                        \
            "jmp *%rax\n\t"                                                                        \
            ".cfi_endproc\n"                                                                       \
            ".size " #name ", . - " #name "\n")
#elif defined(__aarch64__)
#define SHIM(name, parameters)                                                                     \
    void *name parameters;                                                                         \
    __asm__(".text\n"                                                                              \
            ".p2align 4\n"                                                                         \
            ".globl " #name "\n"                                                                   \
            ".type " #name ", %function\n" #name ":\n\t"                                           \
            ".cfi_startproc\n\t"                                                                   \
            "hint #34\n\t" /* bti c */                                                             \
            "stp x0, x1, [sp, #-32]!\n\t"                                                          \
            ".cfi_adjust_cfa_offset 32\n\t"                                                        \
            "stp x2, x30, [sp, #16]\n\t"                                                           \
            ".cfi_rel_offset x30, 24\n\t"                                                          \
            "bl uc_" #name "_prepare\n\t"                                                          \
            "mov x16, x0\n\t"                                                                      \
            "ldp x2, x30, [sp, #16]\n\t"                                                           \
            ".cfi_restore x30\n\t"                                                                 \
            "ldp x0, x1, [sp], #32\n\t"                                                            \
            ".cfi_adjust_cfa_offset -32\n\t"                                                       \
            "br x16\n\t"                                                                           \
            ".cfi_endproc\n"                                                                       \
            ".size " #name ", . - " #name "\n")
#endif

SHIM(dlopen, (const char *file, int mode));
#if UC_GLIBC
SHIM(dlmopen, (Lmid_t where, const char *file, int mode));
SHIM(dlvsym, (void *restrict handle, const char *restrict name, const char *restrict version));
#endif
