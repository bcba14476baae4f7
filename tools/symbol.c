// SPDX-License-Identifier: MIT
// Owns the walk over another process's mapped objects. Nothing read is trusted: counts are bounded
// and an address that is not there is an error of that object alone.
#include "symbol.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "maps.h"
#include "process.h"

enum { MOST_SEGMENTS = 64, MOST_DYNAMIC = 512, MOST_CHAIN = 4096, MOST_NAME = 64 };

struct object {
    pid_t pid;
    uint64_t base; // where the file's first byte is mapped
    uint64_t bias; // to be added to the file's addresses
    uint64_t symbols, strings, hash;
};

static int peek(const struct object *o, uint64_t at, void *to, size_t n)
{
    return uc_process_peek(o->pid, at, to, n);
}

static int find_dynamic(struct object *o, uint64_t *at, size_t *count)
{
    Elf64_Ehdr head;
    Elf64_Phdr segments[MOST_SEGMENTS];
    int r = peek(o, o->base, &head, sizeof head);
    if (r < 0)
        return r;
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof segments[0] || head.e_phnum > MOST_SEGMENTS)
        return -ENOENT;
    r = peek(o, o->base + head.e_phoff, segments, head.e_phnum * sizeof segments[0]);
    if (r < 0)
        return r;
    const Elf64_Phdr *first = NULL;
    const Elf64_Phdr *dynamic = NULL;
    for (size_t i = 0; i < head.e_phnum; i++) {
        if (segments[i].p_type == PT_LOAD && !first)
            first = &segments[i];
        if (segments[i].p_type == PT_DYNAMIC)
            dynamic = &segments[i];
    }
    if (!first || !dynamic)
        return -ENOENT;
    o->bias = o->base - (first->p_vaddr - first->p_offset);
    *at = o->bias + dynamic->p_vaddr;
    *count = dynamic->p_memsz / sizeof(Elf64_Dyn);
    return 0;
}

static int read_dynamic(struct object *o)
{
    Elf64_Dyn entries[MOST_DYNAMIC];
    uint64_t at;
    size_t count;
    int r = find_dynamic(o, &at, &count);
    if (r < 0)
        return r;
    if (count > MOST_DYNAMIC)
        count = MOST_DYNAMIC;
    r = peek(o, at, entries, count * sizeof entries[0]);
    if (r < 0)
        return r;
    for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++) {
        // The dynamic linker has added the bias to these in most objects, but not in the vDSO's
        // kind.
        uint64_t v = entries[i].d_un.d_ptr;
        v += v < o->bias ? o->bias : 0;
        if (entries[i].d_tag == DT_SYMTAB)
            o->symbols = v;
        else if (entries[i].d_tag == DT_STRTAB)
            o->strings = v;
        else if (entries[i].d_tag == DT_GNU_HASH)
            o->hash = v;
    }
    return o->symbols && o->strings && o->hash ? 0 : -ENOENT;
}

static uint32_t gnu_hash(const char *s)
{
    uint32_t h = 5381;
    for (; *s; s++)
        h = h * 33 + (unsigned char)*s;
    return h;
}

static bool is_named(const struct object *o, const Elf64_Sym *symbol, const char *name)
{
    char there[MOST_NAME];
    size_t n = strlen(name) + 1;
    return n <= sizeof there && peek(o, o->strings + symbol->st_name, there, n) == 0 &&
           memcmp(there, name, n) == 0;
}

static int look_up(const struct object *o, const char *name, size_t size, uint64_t *address)
{
    struct {
        uint32_t buckets, first, bloom_words, bloom_shift;
    } head;
    uint32_t wanted = gnu_hash(name);
    uint32_t index;
    int r = peek(o, o->hash, &head, sizeof head);
    if (r < 0)
        return r;
    if (head.buckets == 0)
        return -ENOENT;
    uint64_t buckets = o->hash + sizeof head + head.bloom_words * UINT64_C(8);
    uint64_t chains = buckets + head.buckets * UINT64_C(4);
    r = peek(o, buckets + wanted % head.buckets * UINT64_C(4), &index, sizeof index);
    if (r < 0)
        return r;
    for (int i = 0; index >= head.first && i < MOST_CHAIN; i++, index++) {
        uint32_t hash = 0;
        Elf64_Sym symbol = {0};
        r = peek(o, chains + (index - head.first) * UINT64_C(4), &hash, sizeof hash);
        if (r == 0)
            r = peek(o, o->symbols + index * sizeof symbol, &symbol, sizeof symbol);
        if (r < 0)
            return r;
        if ((hash | 1) == (wanted | 1) && symbol.st_shndx != SHN_UNDEF && symbol.st_size >= size &&
            is_named(o, &symbol, name)) {
            *address = o->bias + symbol.st_value;
            return 0;
        }
        if (hash & 1)
            break;
    }
    return -ENOENT;
}

int uc_symbol_find_in(pid_t pid, uint64_t base, const char *name, uint64_t *address)
{
    struct object o = {.pid = pid, .base = base};
    int r = read_dynamic(&o);
    return r < 0 ? r : look_up(&o, name, 0, address);
}

struct search {
    struct object object;
    bool ours; // only objects with our name, or only the others
    const char *name;
    size_t size;
    uint64_t *address;
    int result;
};

static bool search_object(void *context, const struct uc_mapped *m)
{
    struct search *s = context;
    if ((strncmp(m->name, "libuncontend", 12) == 0) != s->ours)
        return true;
    s->object = (struct object){.pid = s->object.pid, .base = m->from};
    int r = read_dynamic(&s->object);
    if (r == 0)
        r = look_up(&s->object, s->name, s->size, s->address);
    // What cannot be read in some mapped file (a device, a file cut short) is no answer.
    if (r == 0 || r == -EPERM || r == -ESRCH || (r == -EFAULT && s->ours))
        s->result = r;
    return s->result == -ENOENT;
}

int uc_symbol_find(pid_t pid, const char *name, size_t size, uint64_t *address)
{
    struct search s = {{.pid = pid}, true, name, size, address, -ENOENT};
    int r = uc_maps_each(pid, search_object, &s);
    if (r == 0 && s.result == -ENOENT) {
        s.ours = false;
        r = uc_maps_each(pid, search_object, &s);
    }
    return r < 0 ? r : s.result;
}
