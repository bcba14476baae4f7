// SPDX-License-Identifier: MIT
// Owns the reading of ELF files: an image in memory goes in, symbol tables and notes come out.
// Every offset in the image is checked, so that a damaged or hostile file gives an error and
// nothing else. Reads bytes alone: opens nothing, allocates nothing, async-signal-safe.
// Cost: opening looks at headers alone. Finding a name, or who shares an address, reads the whole
// table once: time in proportion to its symbols, no memory.
#ifndef UC_ELFREAD_H
#define UC_ELFREAD_H

#include <elf.h>
#include <stdbool.h>

#include "compiler.h"

#if defined(__x86_64__)
enum { UC_ELF_MACHINE = EM_X86_64 };
#else
enum { UC_ELF_MACHINE = EM_AARCH64 };
#endif

struct uc_elf_table {
    const Elf64_Sym *at; // NULL: the file has no such table, or a broken one
    size_t count;
    const char *names;
    size_t names_size; // > 0, the last byte is NUL
};

struct uc_elf {
    const uint8_t *image;
    size_t size;
    const Elf64_Ehdr *head;
    const Elf64_Phdr *segments;
    const Elf64_Shdr *sections; // NULL: none
    size_t section_count;
    struct uc_elf_table symtab, dynsym;
};

// A run of bytes inside an image or inside a loaded segment.
struct uc_bytes {
    const uint8_t *at; // NULL: not there
    size_t n;
};

struct uc_elf_symbol {
    const char *name;
    uint64_t value, size;
    uint8_t type; // STT_FUNC, STT_OBJECT, ...
};

// What else the symbol table has at a function; names, or NULL.
struct uc_elf_company {
    const char *twin;   // another function at the same address: two functions folded into one
    const char *inside; // a symbol in the function's first bytes
    const char *clone;  // a copy that the compiler made of it: .constprop, .isra, .part
};

// image: page-aligned, or at least 8-byte aligned. 0; -ENOEXEC: not a 64-bit executable or shared
// object for this machine; -EBADMSG: its tables reach out of the file.
int uc_elf_open(struct uc_elf *e, const void *image, size_t size);

// Bytes [value, value + n) of the loaded program as the file has them, when a segment with code
// that cannot be written holds all of them.
struct uc_bytes uc_elf_code(const struct uc_elf *e, uint64_t value, uint64_t n);

// The section's bytes, by name.
struct uc_bytes uc_elf_section(const struct uc_elf *e, const char *name);

// The build id in a run of notes. at NULL: none.
struct uc_bytes uc_elf_build_id_in(struct uc_bytes notes);
struct uc_bytes uc_elf_build_id(const struct uc_elf *e);

// Says whether a symbol's name is the wanted one.
typedef bool uc_elf_match(const char *symbol, const char *wanted);

// The one defined symbol that matches; match NULL: the name itself, a version behind '@' apart. 0;
// -ENOENT: none; -EEXIST: several, at different addresses (*out is the first).
int uc_elf_find(const struct uc_elf_table *t, uc_elf_match *match, const char *wanted,
                struct uc_elf_symbol *out);

// True when the table has this name, defined or, with defined = false, wanted from elsewhere.
bool uc_elf_has(const struct uc_elf_table *t, const char *name, bool defined);

// True when a symbol's name begins so.
bool uc_elf_has_prefix(const struct uc_elf_table *t, const char *prefix);

// The function at this address, by its first name in the table; NULL: none.
const char *uc_elf_function_at(const struct uc_elf_table *t, uint64_t value);

// The symbol whose address the dynamic linker puts into the slot at this address; NULL: none.
const char *uc_elf_slot_name(const struct uc_elf *e, uint64_t slot);

// True when the unwind table, which no stripping takes away, has a function of exactly these bytes.
bool uc_elf_is_function(const struct uc_elf *e, uint64_t value, uint64_t size);

// The segment of the file that is loaded around this address.
struct uc_bytes uc_elf_text(const struct uc_elf *e, uint64_t value);

// Who shares the first `head` bytes of a function. Adds to what *c already has.
void uc_elf_company(const struct uc_elf_table *t, const struct uc_elf_symbol *f, size_t head,
                    struct uc_elf_company *c);

// The suffix of a compiler's clone in a symbol's name (".constprop.0"), or NULL. A .cold part is
// none: only its own function's body leads there.
const char *uc_elf_clone_suffix(const char *name);

#endif
