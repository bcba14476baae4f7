// SPDX-License-Identifier: MIT
// Owns the walk over loaded objects and the opening of their files.
#include "object.h"

#include <errno.h>
#include <link.h>
#include <string.h>

#include "sys.h"
#include "text.h"

#include "poison.h"

enum { PATH = 1024, LARGEST_ID = 32 };

struct walk {
    bool (*fn)(const struct uc_object *, void *);
    void *arg;
    size_t index;
    unsigned long long generation;
};

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    struct walk *w = arg;
    w->generation = info->dlpi_adds;
    const char *path = info->dlpi_name ? info->dlpi_name : "";
    const char *slash = strrchr(path, '/');
    struct uc_object o = {
        .base = info->dlpi_addr,
        .path = path,
        .name = slash ? slash + 1 : path,
        .segments = info->dlpi_phdr,
        .segment_count = info->dlpi_phnum,
        .index = w->index++,
    };
    return w->fn && w->fn(&o, w->arg) ? 0 : 1;
}

void uc_object_each(bool (*fn)(const struct uc_object *, void *), void *arg,
                    unsigned long long *generation)
{
    struct walk w = {.fn = fn, .arg = arg};
    (void)dl_iterate_phdr(visit, &w);
    if (generation)
        *generation = w.generation;
}

unsigned long long uc_object_generation(void)
{
    unsigned long long generation;
    uc_object_each(NULL, NULL, &generation);
    return generation;
}

// Asked for by reference: a dlsym that finds nothing allocates memory for saying so.
extern void __tsan_init(void) __attribute__((weak));

static bool is_no_detector(const struct uc_object *o, void *arg)
{
    const char **found = arg;
    if (strstr(o->name, "vgpreload_helgrind"))
        *found = "helgrind is watching";
    else if (strstr(o->name, "vgpreload_drd"))
        *found = "DRD is watching";
    return !*found;
}

const char *uc_object_race_detector(void)
{
    const char *found = __tsan_init ? "ThreadSanitizer is watching" : NULL;
    if (!found)
        uc_object_each(is_no_detector, (void *)&found, NULL);
    return found;
}

// The parts of an object's dynamic section that name its symbols.
struct names {
    const Elf64_Sym *symbols;
    const char *strings;
    const uint32_t *gnu_hash;
    const uint32_t *sysv_hash;
};

static bool find_names(const struct uc_object *o, struct names *n)
{
    *n = (struct names){0};
    const Elf64_Dyn *d = NULL;
    for (size_t i = 0; i < o->segment_count; i++) {
        if (o->segments[i].p_type == PT_DYNAMIC)
            d = (const Elf64_Dyn *)(o->base + o->segments[i].p_vaddr);
    }
    for (; d && d->d_tag != DT_NULL; d++) {
        // The dynamic linker made these absolute, except in objects it may not write to.
        uintptr_t at = d->d_un.d_ptr < o->base ? d->d_un.d_ptr + o->base : d->d_un.d_ptr;
        if (d->d_tag == DT_SYMTAB)
            n->symbols = (const Elf64_Sym *)at;
        else if (d->d_tag == DT_STRTAB)
            n->strings = (const char *)at;
        else if (d->d_tag == DT_GNU_HASH)
            n->gnu_hash = (const uint32_t *)at;
        else if (d->d_tag == DT_HASH)
            n->sysv_hash = (const uint32_t *)at;
    }
    return n->symbols && n->strings && (n->gnu_hash || n->sysv_hash);
}

static bool named(const struct names *n, const Elf64_Sym *s, const char *name, bool defined)
{
    return (s->st_shndx != SHN_UNDEF) == defined && strcmp(n->strings + s->st_name, name) == 0;
}

bool uc_object_imports(const struct uc_object *o, const char *name)
{
    struct names n;
    if (!find_names(o, &n))
        return false;
    // What is not defined is not hashed and stands in front.
    uint32_t count = n.gnu_hash ? n.gnu_hash[1] : n.sysv_hash[1];
    for (uint32_t i = 1; i < count; i++) {
        if (named(&n, &n.symbols[i], name, false))
            return true;
    }
    return false;
}

// Layout: buckets, first hashed symbol, filter words (64 bits), shift; filter; buckets; chains.
static bool gnu_hashed(const struct names *n, const char *name)
{
    uint32_t hash = 5381;
    for (const char *c = name; *c; c++)
        hash = hash * 33 + (uint8_t)*c;
    const uint32_t *t = n->gnu_hash;
    const uint32_t *buckets = t + 4 + (size_t)t[2] * 2;
    uint32_t i = t[0] ? buckets[hash % t[0]] : 0;
    if (i < t[1])
        return false;
    const uint32_t *chain = buckets + t[0] - t[1];
    for (;; i++) {
        if ((chain[i] | 1) == (hash | 1) && named(n, &n->symbols[i], name, true))
            return true;
        if (chain[i] & 1)
            return false;
    }
}

bool uc_object_exports(const struct uc_object *o, const char *name)
{
    struct names n;
    if (!find_names(o, &n))
        return false;
    if (n.gnu_hash)
        return gnu_hashed(&n, name);
    for (uint32_t i = 1; i < n.sysv_hash[1]; i++) {
        if (named(&n, &n.symbols[i], name, true))
            return true;
    }
    return false;
}

int uc_file_open(const char *path, struct uc_file *f)
{
    *f = (struct uc_file){0};
    int fd = uc_sys_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
    if (fd < 0)
        return fd;
    struct stat st;
    int r = (int)UC_SYS2(SYS_fstat, fd, &st);
    if (r == 0 && (!S_ISREG(st.st_mode) || st.st_size <= 0))
        r = -ENOEXEC;
    if (r == 0) {
        f->size = (size_t)st.st_size;
        f->map = uc_sys_mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, fd, 0, &r);
    }
    (void)uc_sys_close(fd);
    if (r < 0)
        return r;
    r = uc_elf_open(&f->elf, f->map, f->size);
    if (r < 0)
        uc_file_close(f);
    return r;
}

void uc_file_close(struct uc_file *f)
{
    if (f->map)
        (void)uc_sys_munmap(f->map, f->size);
    f->map = NULL;
}

static bool same(struct uc_bytes a, struct uc_bytes b)
{
    return a.at && b.at && a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

static struct uc_bytes loaded_build_id(const struct uc_object *o)
{
    for (size_t i = 0; i < o->segment_count; i++) {
        const Elf64_Phdr *p = &o->segments[i];
        if (p->p_type != PT_NOTE)
            continue;
        struct uc_bytes notes = {.at = (const uint8_t *)(o->base + p->p_vaddr), .n = p->p_memsz};
        struct uc_bytes id = uc_elf_build_id_in(notes);
        if (id.at)
            return id;
    }
    return (struct uc_bytes){0};
}

// A package upgrade may have replaced the file under a running program.
static bool is_loaded_build(const struct uc_object *o, const struct uc_elf *e)
{
    if (e->head->e_phnum != o->segment_count ||
        memcmp(e->segments, o->segments, o->segment_count * sizeof(Elf64_Phdr)) != 0)
        return false;
    struct uc_bytes id = loaded_build_id(o);
    return !id.at || same(id, uc_elf_build_id(e));
}

int uc_object_open(const struct uc_object *o, struct uc_file *f)
{
    int r = uc_file_open(o->index == 0 ? "/proc/self/exe" : o->path, f);
    if (r == 0 && !is_loaded_build(o, &f->elf)) {
        uc_file_close(f);
        r = -ESTALE;
    }
    return r;
}

static uint32_t crc32_of(const uint8_t *at, size_t n)
{
    uint32_t table[256];
    for (uint32_t i = 0; i < uc_countof(table); i++) {
        uint32_t v = i;
        for (int bit = 0; bit < 8; bit++)
            v = v & 1 ? v >> 1 ^ 0xedb88320U : v >> 1;
        table[i] = v;
    }
    uint32_t crc = ~0U;
    for (size_t i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ at[i]) & 0xff];
    return ~crc;
}

// True when f is the debug file of `main`: by build id where there is one, by checksum otherwise.
static bool is_debug_of(const struct uc_elf *main, const struct uc_file *f, struct uc_bytes link)
{
    struct uc_bytes id = uc_elf_build_id(main);
    if (id.at)
        return same(id, uc_elf_build_id(&f->elf));
    uint32_t crc;
    if (link.n < sizeof crc)
        return false;
    memcpy(&crc, link.at + link.n - sizeof crc, sizeof crc);
    return crc == crc32_of(f->map, f->size);
}

static bool try_debug(const char *path, const struct uc_elf *main, struct uc_bytes link,
                      struct uc_file *f)
{
    if (uc_file_open(path, f) < 0)
        return false;
    if (f->elf.symtab.at && is_debug_of(main, f, link))
        return true;
    uc_file_close(f);
    return false;
}

static bool by_build_id(const struct uc_elf *main, struct uc_file *f)
{
    struct uc_bytes id = uc_elf_build_id(main);
    if (!id.at || id.n < 2 || id.n > LARGEST_ID)
        return false;
    char path[PATH];
    struct uc_text t = UC_TEXT(path);
    uc_text_add(&t, "/usr/lib/debug/.build-id/");
    for (size_t i = 0; i < id.n; i++)
        uc_text_add(&t, "%x%x%s", id.at[i] >> 4, id.at[i] & 15U, i == 0 ? "/" : "");
    uc_text_add(&t, ".debug");
    return try_debug(path, main, (struct uc_bytes){0}, f);
}

// The directory of the object's file, with its last slash; "" when it has none.
static void directory_of(const struct uc_object *o, char path[PATH])
{
    path[0] = '\0';
    if (o->index == 0) {
        long n = UC_SYS4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, PATH - 1);
        path[n > 0 ? n : 0] = '\0';
    } else {
        (void)uc_text_copy(path, PATH, o->path);
    }
    char *slash = strrchr(path, '/');
    *(slash ? slash + 1 : path) = '\0';
}

static bool by_link(const struct uc_object *o, const struct uc_elf *main, struct uc_file *f)
{
    static const char *const places[][2] = {{"", ""}, {"", ".debug/"}, {"/usr/lib/debug", ""}};
    struct uc_bytes link = uc_elf_section(main, ".gnu_debuglink");
    const char *name = (const char *)link.at;
    if (!link.at || !memchr(link.at, '\0', link.n) || name[0] == '\0' || strchr(name, '/'))
        return false;
    char directory[PATH];
    directory_of(o, directory);
    for (size_t i = 0; i < uc_countof(places); i++) {
        char path[PATH];
        struct uc_text t = UC_TEXT(path);
        uc_text_add(&t, "%s%s%s%s", places[i][0], directory, places[i][1], name);
        if (!t.cut && try_debug(path, main, link, f))
            return true;
    }
    return false;
}

int uc_object_open_debug(const struct uc_object *o, const struct uc_file *main, struct uc_file *f)
{
    return by_build_id(&main->elf, f) || by_link(o, &main->elf, f) ? 0 : -ENOENT;
}

bool uc_object_code_is_original(const struct uc_object *o, const struct uc_elf *e, uint64_t value,
                                uint64_t n)
{
    struct uc_bytes code = uc_elf_code(e, value, n);
    return code.at && memcmp(code.at, (const void *)(o->base + value), n) == 0;
}
