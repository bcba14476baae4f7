// SPDX-License-Identifier: MIT
// Owns the project's one ELF reader. Nothing in an image is believed before it was checked.
#include "elfread.h"

#include <errno.h>
#include <string.h>

#include "poison.h"

static bool fits(const struct uc_elf *e, uint64_t offset, uint64_t n)
{
    return offset <= e->size && n <= e->size - offset;
}

static struct uc_bytes bytes_of(const struct uc_elf *e, const Elf64_Shdr *s)
{
    if (s->sh_type == SHT_NOBITS || !fits(e, s->sh_offset, s->sh_size))
        return (struct uc_bytes){0};
    return (struct uc_bytes){.at = e->image + s->sh_offset, .n = s->sh_size};
}

static void open_table(const struct uc_elf *e, const Elf64_Shdr *s, struct uc_elf_table *t)
{
    if (s->sh_entsize != sizeof(Elf64_Sym) || s->sh_offset % _Alignof(Elf64_Sym) != 0 ||
        s->sh_link >= e->section_count)
        return;
    struct uc_bytes symbols = bytes_of(e, s);
    struct uc_bytes names = bytes_of(e, &e->sections[s->sh_link]);
    if (!symbols.at || !names.at || names.n == 0 || names.at[names.n - 1] != '\0')
        return;
    *t = (struct uc_elf_table){
        .at = (const Elf64_Sym *)symbols.at,
        .count = symbols.n / sizeof(Elf64_Sym),
        .names = (const char *)names.at,
        .names_size = names.n,
    };
}

static int open_sections(struct uc_elf *e)
{
    const Elf64_Ehdr *h = e->head;
    if (h->e_shoff == 0)
        return 0;
    if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shoff % _Alignof(Elf64_Shdr) != 0 ||
        !fits(e, h->e_shoff, sizeof(Elf64_Shdr)))
        return -EBADMSG;
    e->sections = (const Elf64_Shdr *)(e->image + h->e_shoff);
    // Files with 65,280 sections or more keep the count in the first one.
    uint64_t count = h->e_shnum ? h->e_shnum : e->sections[0].sh_size;
    if (count > e->size / sizeof(Elf64_Shdr) || !fits(e, h->e_shoff, count * sizeof(Elf64_Shdr)))
        return -EBADMSG;
    e->section_count = count;
    for (size_t i = 0; i < count; i++) {
        if (e->sections[i].sh_type == SHT_SYMTAB)
            open_table(e, &e->sections[i], &e->symtab);
        else if (e->sections[i].sh_type == SHT_DYNSYM)
            open_table(e, &e->sections[i], &e->dynsym);
    }
    return 0;
}

int uc_elf_open(struct uc_elf *e, const void *image, size_t size)
{
    *e = (struct uc_elf){.image = image, .size = size, .head = image};
    const Elf64_Ehdr *h = e->head;
    if (size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
        h->e_machine != UC_ELF_MACHINE || (h->e_type != ET_DYN && h->e_type != ET_EXEC))
        return -ENOEXEC;
    if (h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff % _Alignof(Elf64_Phdr) != 0 ||
        !fits(e, h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr)))
        return -EBADMSG;
    e->segments = (const Elf64_Phdr *)(e->image + h->e_phoff);
    return open_sections(e);
}

// Where a segment of these rights holds all of [value, value + n); NULL: none does.
static const Elf64_Phdr *segment_of(const struct uc_elf *e, uint32_t rights, uint64_t value,
                                    uint64_t n)
{
    for (size_t i = 0; i < e->head->e_phnum; i++) {
        const Elf64_Phdr *p = &e->segments[i];
        uint64_t from = value - p->p_vaddr;
        if (p->p_type == PT_LOAD && (p->p_flags & (PF_R | PF_W | PF_X)) == rights &&
            value >= p->p_vaddr && from <= p->p_filesz && n <= p->p_filesz - from &&
            fits(e, p->p_offset, p->p_filesz))
            return p;
    }
    return NULL;
}

struct uc_bytes uc_elf_code(const struct uc_elf *e, uint64_t value, uint64_t n)
{
    const Elf64_Phdr *p = segment_of(e, PF_R | PF_X, value, n);
    if (!p)
        return (struct uc_bytes){0};
    return (struct uc_bytes){.at = e->image + p->p_offset + (value - p->p_vaddr), .n = n};
}

struct uc_bytes uc_elf_text(const struct uc_elf *e, uint64_t value)
{
    const Elf64_Phdr *p = segment_of(e, PF_R | PF_X, value, 1);
    return p ? (struct uc_bytes){.at = e->image + p->p_offset, .n = p->p_filesz}
             : (struct uc_bytes){0};
}

// .eh_frame_hdr in the form that all linkers write: 32-bit numbers, addresses counted from its own,
// sorted. The description (FDE) of a function has its size behind its address.
struct unwind_head {
    uint8_t version, frame_encoding, count_encoding, table_encoding;
    int32_t frame;
    uint32_t count;
};

struct unwind_row {
    int32_t function, description;
};

enum { UDATA4 = 0x03, PCREL_SDATA4 = 0x1b, DATAREL_SDATA4 = 0x3b, FDE_SIZE_AT = 12 };

static bool describes(const struct uc_elf *e, uint64_t offset, uint64_t size)
{
    uint32_t there;
    if (!fits(e, offset, FDE_SIZE_AT + sizeof there))
        return false;
    memcpy(&there, e->image + offset + FDE_SIZE_AT, sizeof there);
    return there == size;
}

bool uc_elf_is_function(const struct uc_elf *e, uint64_t value, uint64_t size)
{
    const Elf64_Phdr *p = NULL;
    for (size_t i = 0; i < e->head->e_phnum; i++) {
        if (e->segments[i].p_type == PT_GNU_EH_FRAME)
            p = &e->segments[i];
    }
    struct unwind_head head;
    if (!p || !fits(e, p->p_offset, p->p_filesz) || p->p_filesz < sizeof head)
        return false;
    memcpy(&head, e->image + p->p_offset, sizeof head);
    if (head.version != 1 || head.frame_encoding != PCREL_SDATA4 || head.count_encoding != UDATA4 ||
        head.table_encoding != DATAREL_SDATA4)
        return false;
    size_t low = 0;
    size_t high = (p->p_filesz - sizeof head) / sizeof(struct unwind_row);
    high = head.count < high ? head.count : high;
    while (low < high) {
        struct unwind_row row;
        size_t middle = low + (high - low) / 2;
        memcpy(&row, e->image + p->p_offset + sizeof head + middle * sizeof row, sizeof row);
        uint64_t function = p->p_vaddr + (uint64_t)(int64_t)row.function;
        if (function == value)
            return describes(e, p->p_offset + (uint64_t)(int64_t)row.description, size);
        if (function < value)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

struct uc_bytes uc_elf_section(const struct uc_elf *e, const char *name)
{
    size_t index = e->head->e_shstrndx;
    if (index == SHN_XINDEX && e->section_count)
        index = e->sections[0].sh_link;
    if (index >= e->section_count)
        return (struct uc_bytes){0};
    struct uc_bytes names = bytes_of(e, &e->sections[index]);
    size_t wanted = strlen(name) + 1;
    for (size_t i = 0; i < e->section_count; i++) {
        uint32_t at = e->sections[i].sh_name;
        if (at < names.n && wanted <= names.n - at && memcmp(names.at + at, name, wanted) == 0)
            return bytes_of(e, &e->sections[i]);
    }
    return (struct uc_bytes){0};
}

static size_t padded(uint32_t n)
{
    return ((size_t)n + 3) & ~(size_t)3;
}

struct uc_bytes uc_elf_build_id_in(struct uc_bytes notes)
{
    while (notes.at && notes.n >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr h;
        memcpy(&h, notes.at, sizeof h);
        size_t name = padded(h.n_namesz);
        size_t rest = notes.n - sizeof h;
        if (name > rest || padded(h.n_descsz) > rest - name)
            break;
        const uint8_t *at = notes.at + sizeof h;
        if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && memcmp(at, "GNU", 4) == 0)
            return (struct uc_bytes){.at = at + name, .n = h.n_descsz};
        size_t whole = sizeof h + name + padded(h.n_descsz);
        notes.at += whole;
        notes.n -= whole;
    }
    return (struct uc_bytes){0};
}

struct uc_bytes uc_elf_build_id(const struct uc_elf *e)
{
    // By section: in a separate debug file the segments have no bytes, the notes have.
    for (size_t i = 0; i < e->section_count; i++) {
        if (e->sections[i].sh_type != SHT_NOTE)
            continue;
        struct uc_bytes id = uc_elf_build_id_in(bytes_of(e, &e->sections[i]));
        if (id.at)
            return id;
    }
    return (struct uc_bytes){0};
}

static const char *name_of(const struct uc_elf_table *t, const Elf64_Sym *s)
{
    return s->st_name < t->names_size ? t->names + s->st_name : "";
}

static bool is_code(const Elf64_Sym *s)
{
    unsigned type = ELF64_ST_TYPE(s->st_info);
    return s->st_shndx != SHN_UNDEF && s->st_shndx != SHN_ABS &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

// The name itself, n bytes. Where it would have to end is looked at first: programs have a million
// symbols, and many begin alike.
static bool is_name(const struct uc_elf_table *t, const Elf64_Sym *s, const char *wanted, size_t n)
{
    if (s->st_name >= t->names_size || n >= t->names_size - s->st_name)
        return false;
    const char *name = t->names + s->st_name;
    return (name[n] == '\0' || name[n] == '@') && memcmp(name, wanted, n) == 0;
}

int uc_elf_find(const struct uc_elf_table *t, uc_elf_match *match, const char *wanted,
                struct uc_elf_symbol *out)
{
    size_t n = strlen(wanted);
    bool found = false;
    for (size_t i = 0; i < t->count; i++) {
        const Elf64_Sym *s = &t->at[i];
        if (match ? !match(name_of(t, s), wanted) : !is_name(t, s, wanted, n))
            continue;
        unsigned type = ELF64_ST_TYPE(s->st_info);
        if (s->st_shndx == SHN_UNDEF || type == STT_SECTION || type == STT_FILE)
            continue;
        if (found && out->value != s->st_value)
            return -EEXIST;
        // An alias with a size beats one without.
        if (!found || out->size == 0)
            *out = (struct uc_elf_symbol){.name = name_of(t, s),
                                          .value = s->st_value,
                                          .size = s->st_size,
                                          .type = (uint8_t)type};
        found = true;
    }
    return found ? 0 : -ENOENT;
}

bool uc_elf_has(const struct uc_elf_table *t, const char *name, bool defined)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < t->count; i++) {
        if ((t->at[i].st_shndx != SHN_UNDEF) == defined && is_name(t, &t->at[i], name, n))
            return true;
    }
    return false;
}

bool uc_elf_has_prefix(const struct uc_elf_table *t, const char *prefix)
{
    size_t n = strlen(prefix);
    for (size_t i = 0; i < t->count; i++) {
        uint32_t at = t->at[i].st_name;
        if (at < t->names_size && n < t->names_size - at && t->names[at + n - 1] == prefix[n - 1] &&
            memcmp(t->names + at, prefix, n) == 0)
            return true;
    }
    return false;
}

// On Arm's CPUs symbols such as $x say what kind of bytes follow.
static bool names_something(const char *name)
{
    return *name && *name != '$';
}

const char *uc_elf_function_at(const struct uc_elf_table *t, uint64_t value)
{
    for (size_t i = 0; i < t->count; i++) {
        const char *name = name_of(t, &t->at[i]);
        if (t->at[i].st_value == value && is_code(&t->at[i]) && names_something(name))
            return name;
    }
    return NULL;
}

const char *uc_elf_slot_name(const struct uc_elf *e, uint64_t slot)
{
    for (size_t n = 0; n < e->section_count; n++) {
        const Elf64_Shdr *s = &e->sections[n];
        struct uc_bytes rows = bytes_of(e, s);
        if (s->sh_type != SHT_RELA || !rows.at || s->sh_offset % _Alignof(Elf64_Rela) != 0)
            continue;
        const Elf64_Rela *r = (const Elf64_Rela *)rows.at;
        for (size_t i = 0; i < rows.n / sizeof *r; i++) {
            if (r[i].r_offset == slot && ELF64_R_SYM(r[i].r_info) < e->dynsym.count)
                return name_of(&e->dynsym, &e->dynsym.at[ELF64_R_SYM(r[i].r_info)]);
        }
    }
    return NULL;
}

const char *uc_elf_clone_suffix(const char *name)
{
    static const char *const suffixes[] = {".constprop", ".isra", ".part", ".lto_priv"};
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        for (size_t i = 0; i < uc_countof(suffixes); i++) {
            if (strncmp(dot, suffixes[i], strlen(suffixes[i])) == 0)
                return dot;
        }
    }
    return NULL;
}

// True when the names differ, versions apart.
static bool other_name(const char *a, const char *b)
{
    size_t n = strcspn(a, "@");
    return n != strcspn(b, "@") || memcmp(a, b, n) != 0;
}

void uc_elf_company(const struct uc_elf_table *t, const struct uc_elf_symbol *f, size_t head,
                    struct uc_elf_company *c)
{
    size_t length = strcspn(f->name, "@");
    for (size_t i = 0; i < t->count; i++) {
        const Elf64_Sym *s = &t->at[i];
        uint64_t distance = s->st_value - f->value;
        if (!is_code(s))
            continue;
        const char *name = name_of(t, s);
        if (distance == 0 && ELF64_ST_TYPE(s->st_info) != STT_NOTYPE && other_name(name, f->name))
            c->twin = name;
        else if (distance > 0 && distance < head && names_something(name))
            c->inside = name;
        if (strncmp(name, f->name, length) == 0 && name[length] == '.' &&
            uc_elf_clone_suffix(name + length))
            c->clone = name;
    }
}
