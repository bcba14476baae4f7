// SPDX-License-Identifier: MIT
// Owns the search for the originals. Must not allocate.
#include <dlfcn.h>
#include <link.h>

// Without poison.h: the table names what the rest of preload/ must not call.
#include "libc.h"
#include "real.h"

struct uc_reals uc_real;

static const char *const names[] = {
#define UC_REAL(result, name, parameters) #name,
    UC_REAL_TABLE
#undef UC_REAL
};

static const size_t places[] = {
#define UC_REAL(result, name, parameters) offsetof(struct uc_reals, name),
    UC_REAL_TABLE
#undef UC_REAL
};

// Set by a relocation. Before it ran, the word holds the link-time value.
static const volatile void *const volatile relocated = &relocated;

bool uc_real_possible(void)
{
    return relocated == &relocated;
}

// All names have been looked for. A second search for one that nobody has would wait for whoever
// loads a library; in a fork's child, where that thread does not exist, for ever.
static bool searched;

bool uc_real_get(enum uc_real_name name)
{
    if (!uc_real_possible())
        return false;
    void **place = (void **)((char *)&uc_real + places[name]);
    if (!__atomic_load_n(place, __ATOMIC_RELAXED) && !searched)
        __atomic_store_n(place, dlsym(RTLD_NEXT, names[name]), __ATOMIC_RELAXED);
    return *place != NULL;
}

void uc_real_start(void)
{
    bool missing = false;
    for (unsigned i = 0; i < UC_REAL_COUNT; i++)
        missing |= !uc_real_get((enum uc_real_name)i);
    searched = true;
    if (missing)
        (void)dlerror(); // the program is not to find our error
}

// Where an object lies in memory. dladdr would tell as well, and read all its symbols for it.
struct span {
    uintptr_t inside; // an address in the object that is looked for
    uintptr_t start;
    uintptr_t end;
};

static int find_span(struct dl_phdr_info *info, size_t size, void *wanted)
{
    (void)size;
    struct span *s = wanted;
    uintptr_t start = UINTPTR_MAX;
    uintptr_t end = 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD)
            continue;
        start = from < start ? from : start;
        end = from + p->p_memsz > end ? from + p->p_memsz : end;
    }
    if (s->inside < start || s->inside >= end)
        return 0;
    s->start = start;
    s->end = end;
    return 1;
}

static bool lies_in(struct span *s, const void *address)
{
    if (!s->end)
        (void)dl_iterate_phdr(find_span, s);
    return (uintptr_t)address >= s->start && (uintptr_t)address < s->end;
}

static struct span ours = {.inside = (uintptr_t)&relocated};
static struct span libc = {.inside = (uintptr_t)UC_LIBC_OWN};

// A program that is no PIE and takes a function's address: that of a jump inside the program is the
// function's then, for everybody, and the program's symbol says that it is defined elsewhere.
#if UC_GLIBC
#pragma weak dladdr1 // as in libc.h
static bool is_jump(const void *address)
{
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    return address && dladdr1 && dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) &&
           symbol && symbol->st_shndx == SHN_UNDEF && info.dli_saddr == address;
}
#else
// musl cannot tell it from a function of the program's own.
static bool is_jump(const void *address)
{
    (void)address;
    return false;
}
#endif

// Whether we are the first object after the program (and the kernel's own): then what the program
// does not define itself is found in ours.
static bool are_first(void)
{
    const struct link_map *m = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
    for (m = m ? m->l_next : NULL; m; m = m->l_next) {
        if (lies_in(&ours, m->l_ld))
            return true;
        if (m->l_name[0] == '/')
            return false;
    }
    return false;
}

bool uc_real_ours(enum uc_real_name name)
{
    const void *found = dlsym(RTLD_DEFAULT, names[name]);
    return lies_in(&ours, found) || (is_jump(found) && are_first());
}

bool uc_real_undisturbed(enum uc_real_name name)
{
    return uc_real_get(name) && uc_real_ours(name) &&
           lies_in(&libc, *(void **)((char *)&uc_real + places[name]));
}
