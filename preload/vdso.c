// SPDX-License-Identifier: MIT
// Owns the walk through the ELF tables of the vDSO. They come from the kernel, yet nothing outside
// the one loaded segment is believed.
#include "vdso.h"

#include <elf.h>
#include <stdbool.h>

#include "poison.h"

struct image {
    const uint8_t *start;
    size_t size;
    const Elf64_Sym *symbols;
    const char *names;
    size_t names_size;
    const uint32_t *hash;     // DT_HASH
    const uint32_t *gnu_hash; // DT_GNU_HASH
};

// n elements of this size at a virtual address; NULL when they are not within the image, or not
// where elements of this size lie.
static const void *within(const struct image *m, uint64_t address, size_t n, size_t size)
{
    size_t alignment = size < sizeof(uint64_t) ? size : sizeof(uint64_t);
    if (address >= m->size || n > (m->size - address) / size || address % alignment != 0)
        return NULL;
    return m->start + address;
}

static bool read_dynamic(struct image *m, const Elf64_Dyn *d, size_t n)
{
    uint64_t names = 0;
    for (; n > 0 && d->d_tag != DT_NULL; n--, d++) {
        switch (d->d_tag) {
        case DT_SYMTAB:
            m->symbols = within(m, d->d_un.d_ptr, 1, sizeof *m->symbols);
            break;
        case DT_STRTAB:
            names = d->d_un.d_ptr;
            break;
        case DT_STRSZ:
            m->names_size = d->d_un.d_val;
            break;
        case DT_HASH:
            m->hash = within(m, d->d_un.d_ptr, 2, sizeof *m->hash);
            break;
        case DT_GNU_HASH:
            m->gnu_hash = within(m, d->d_un.d_ptr, 4, sizeof *m->gnu_hash);
            break;
        }
    }
    m->names = within(m, names, m->names_size, 1);
    return m->symbols && m->names && m->names_size;
}

static bool read_image(struct image *m, const void *start)
{
    const Elf64_Ehdr *e = start;
    if (__builtin_memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 || e->e_ident[EI_CLASS] != ELFCLASS64 ||
        e->e_phentsize != sizeof(Elf64_Phdr))
        return false;
    *m = (struct image){.start = start, .size = UC_PAGE};
    const Elf64_Phdr *p = within(m, e->e_phoff, e->e_phnum, sizeof *p);
    if (!p)
        return false;
    const Elf64_Phdr *dynamic = NULL;
    m->size = 0;
    for (unsigned i = 0; i < e->e_phnum; i++) {
        if (p[i].p_type == PT_LOAD && p[i].p_offset == 0 && p[i].p_vaddr == 0)
            m->size = p[i].p_filesz;
        else if (p[i].p_type == PT_DYNAMIC)
            dynamic = &p[i];
    }
    if (!dynamic)
        return false;
    size_t n = dynamic->p_filesz / sizeof(Elf64_Dyn);
    const Elf64_Dyn *d = within(m, dynamic->p_vaddr, n, sizeof *d);
    return d && read_dynamic(m, d, n);
}

// The table of the older kind counts the symbols. The newer one does not: the last chain does.
static uint32_t count_symbols(const struct image *m)
{
    if (m->hash)
        return m->hash[1];
    if (!m->gnu_hash)
        return 0;
    uint32_t buckets = m->gnu_hash[0];
    uint32_t first = m->gnu_hash[1];
    uint64_t at = (uint64_t)((const uint8_t *)m->gnu_hash - m->start) + 16 + 8ULL * m->gnu_hash[2];
    const uint32_t *bucket = within(m, at, buckets, sizeof *bucket);
    uint32_t last = 0;
    for (uint32_t i = 0; bucket && i < buckets; i++)
        last = bucket[i] > last ? bucket[i] : last;
    if (last < first)
        return 0;
    at += 4ULL * buckets;
    for (;; last++) {
        const uint32_t *chain = within(m, at + 4ULL * (last - first), 1, sizeof *chain);
        if (!chain)
            return 0;
        if (*chain & 1)
            return last + 1;
    }
}

static bool same_name(const struct image *m, uint32_t at, const char *name)
{
    for (; at < m->names_size; at++, name++) {
        if (m->names[at] != *name)
            return false;
        if (!*name)
            return true;
    }
    return false;
}

const void *uc_vdso_find(const void *start, const char *name)
{
    struct image m;
    if (!start || !read_image(&m, start))
        return NULL;
    uint32_t n = count_symbols(&m);
    if (!within(&m, (uint64_t)((const uint8_t *)m.symbols - m.start), n, sizeof *m.symbols))
        return NULL;
    for (const Elf64_Sym *s = m.symbols; s < m.symbols + n; s++) {
        if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx != SHN_UNDEF &&
            same_name(&m, s->st_name, name))
            return within(&m, s->st_value, 1, 1);
    }
    return NULL;
}
