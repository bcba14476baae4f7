// SPDX-License-Identifier: MIT
// Owns the table of objects. Several threads write it at once: a slot belongs to whoever moved its
// number from even to odd.
#include "origin.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "libc.h"
#include "thread.h"

#include "poison.h"

enum { SLOTS = 32, NAME = 40 };

struct slot {
    uint64_t turn; // even: readable; 0: empty
    uintptr_t from, to;
    uintptr_t bias; // what is taken off for an address as the file has it
    char name[NAME];
};

// As libc's <dlfcn.h> has it since 2.35; our own, since it may be built with an older one.
struct found {
    unsigned long long flags;
    void *from, *to;
    struct link_map *map;
    uint64_t rest[16];
};

static struct slot slots[SLOTS];
static int (*finder)(void *address, struct found *found);

void uc_origin_start(void)
{
    // A dlsym that finds nothing allocates memory for saying so.
    unsigned long minor = 0;
    const char *version = UC_GLIBC ? gnu_get_libc_version() : "";
    if (strncmp(version, "2.", 2) != 0)
        return;
    for (version += 2; *version >= '0' && *version <= '9'; version++)
        minor = minor * 10 + (unsigned long)(*version - '0');
    if (minor < 35)
        return;
    void *symbol = dlsym(RTLD_DEFAULT, "_dl_find_object");
    memcpy(&finder, &symbol, sizeof finder);
}

static const char *name_of(const struct found *f)
{
    const char *path =
        f->map->l_name && f->map->l_name[0] ? f->map->l_name : uncontend_root.program;
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Memory of an object that was unloaded may become another's. A name that is being written reads as
// another one.
static bool same(const struct slot *s, const struct found *f)
{
    return strncmp(s->name, name_of(f), sizeof s->name - 1) == 0 &&
           __atomic_load_n(&s->from, __ATOMIC_RELAXED) == (uintptr_t)f->from &&
           __atomic_load_n(&s->to, __ATOMIC_RELAXED) == (uintptr_t)f->to;
}

static bool overlaps(const struct slot *s, const struct found *f)
{
    return __atomic_load_n(&s->from, __ATOMIC_RELAXED) < (uintptr_t)f->to &&
           (uintptr_t)f->from < __atomic_load_n(&s->to, __ATOMIC_RELAXED);
}

static void fill(struct slot *s, const struct found *f)
{
    __atomic_store_n(&s->from, (uintptr_t)f->from, __ATOMIC_RELAXED);
    __atomic_store_n(&s->to, (uintptr_t)f->to, __ATOMIC_RELAXED);
    s->bias = f->map->l_addr;
    uc_text_copy(s->name, sizeof s->name, name_of(f));
}

void uc_origin_note(uintptr_t address)
{
    struct found f;
    if (!finder || finder((void *)address, &f) != 0)
        return;
    struct slot *place = NULL;
    for (size_t i = 0; i < SLOTS; i++) {
        struct slot *s = &slots[i];
        if (__atomic_load_n(&s->turn, __ATOMIC_RELAXED) != 0 && same(s, &f))
            return;
        // What was there before has been unloaded, or nothing was.
        if (!place && (overlaps(s, &f) || __atomic_load_n(&s->turn, __ATOMIC_RELAXED) == 0))
            place = s;
    }
    uint64_t turn = place ? __atomic_load_n(&place->turn, __ATOMIC_RELAXED) : 1;
    // Acquire and release: one writer's name is not another's; readers see the odd number first.
    if (turn & 1 || !__atomic_compare_exchange_n(&place->turn, &turn, turn + 1, false,
                                                 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    fill(place, &f);
    __atomic_store_n(&place->turn, turn + 2, __ATOMIC_RELEASE);
}

void uc_origin_show(uintptr_t address, struct uc_text *out)
{
    for (size_t i = 0; i < SLOTS; i++) {
        const struct slot *s = &slots[i];
        char name[NAME];
        uint64_t turn = __atomic_load_n(&s->turn, __ATOMIC_ACQUIRE);
        if (turn == 0 || turn & 1 || address < __atomic_load_n(&s->from, __ATOMIC_RELAXED) ||
            address >= __atomic_load_n(&s->to, __ATOMIC_RELAXED))
            continue;
        uintptr_t bias = s->bias;
        memcpy(name, s->name, sizeof name);
        name[sizeof name - 1] = '\0';
        __atomic_thread_fence(__ATOMIC_ACQUIRE); // pairs with the writer's release
        if (__atomic_load_n(&s->turn, __ATOMIC_RELAXED) != turn)
            continue;
        uc_text_add(out, "%s+0x%lx", name, address - bias);
        return;
    }
    uc_text_add(out, "0x%lx", address);
}
