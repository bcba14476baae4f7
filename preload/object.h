// SPDX-License-Identifier: MIT
// Owns what is loaded into this process: the program and its libraries, and the files they came
// from. A file is believed only when it is the build that is in memory. For start-up and for the
// rare moment when a library was loaded; not async-signal-safe.
// Cost: the walk takes the dynamic linker's lock for as long as it lasts. Opening is four system
// calls, and pages of the file as they are touched; a debug file the same for each place where it
// is looked for.
#ifndef UC_OBJECT_H
#define UC_OBJECT_H

#include "elfread.h"

struct uc_object {
    uintptr_t base;   // what is added to the file's addresses
    const char *path; // as the dynamic linker opened it; "" for the program
    const char *name; // its last part
    const Elf64_Phdr *segments;
    size_t segment_count;
    size_t index; // place in the list of loaded objects, 0 is the program
};

// A file, mapped.
struct uc_file {
    struct uc_elf elf;
    void *map;
    size_t size;
};

// fn for each object, until it returns false. The dynamic linker's lock is held meanwhile, so that
// no object can vanish. *generation (may be NULL): how many objects were ever loaded.
void uc_object_each(bool (*fn)(const struct uc_object *, void *), void *arg,
                    unsigned long long *generation);

// How many objects were ever loaded; a change means that there is something new.
unsigned long long uc_object_generation(void);

// Why a race detector would report what we do instead of locking, or NULL: none is watching.
const char *uc_object_race_detector(void);

// True when the object needs this function from another one; looked up in memory.
bool uc_object_imports(const struct uc_object *o, const char *name);
// True when the object offers this function to others.
bool uc_object_exports(const struct uc_object *o, const char *name);

// The object's file. 0; the error of opening it; -ESTALE: the file is not what was loaded.
int uc_object_open(const struct uc_object *o, struct uc_file *f);
// The separate debug file of an object's file, by build id or by .gnu_debuglink. -ENOENT: none.
int uc_object_open_debug(const struct uc_object *o, const struct uc_file *main, struct uc_file *f);
// A file that nothing is known of. 0; the error of opening it; -ENOEXEC, -EBADMSG: uc_elf_open's.
int uc_file_open(const char *path, struct uc_file *f);
void uc_file_close(struct uc_file *f);

// True when the n bytes of code at value are in memory as the file has them.
bool uc_object_code_is_original(const struct uc_object *o, const struct uc_elf *e, uint64_t value,
                                uint64_t n);

#endif
