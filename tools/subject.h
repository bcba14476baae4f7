// SPDX-License-Identifier: MIT
// Owns the verdict on the counters of one file: what the library would do with them if the file
// were loaded, found out by the library's own code, and what it could do if it were told where they
// are.
// Cost: opening maps the file, and its debug file where it has no symbol table of its own. A
// judgement costs a look-up for each function, and judge.h's price for those that are there.
#ifndef UC_SUBJECT_H
#define UC_SUBJECT_H

#include "debugdata.h"
#include "judge.h"
#include "object.h"
#include "wanted.h"

struct uc_subject {
    const char *name; // how a SPEC calls it
    bool program;
    struct uc_file file, debug;
    struct uc_debugdata mini;
    struct uc_tables tables;
};

enum uc_finding_kind {
    UC_FINDING_WOULD, // be replaced
    UC_FINDING_ATOMIC,
    UC_FINDING_REFUSED,
    UC_FINDING_HIDDEN, // a known function that must be there, and no symbol table that says where
};

struct uc_finding {
    struct uc_wanted *wanted;
    const char *why; // NULL for UC_FINDING_WOULD
    struct uc_elf_symbol symbol;
    enum uc_finding_kind kind;
    bool told; // the library has to be told where it is: only we can find it
};

// path: what to open. name: what it is called, kept. 0 or a negative errno.
int uc_subject_open(struct uc_subject *s, const char *path, const char *name, bool program);
void uc_subject_close(struct uc_subject *s);

// What is there of these; marks those that were found. Returns how many findings were written.
size_t uc_subject_judge(struct uc_subject *s, struct uc_wanted *wanted, size_t count,
                        struct uc_finding found[UC_WANTED_MOST]);

#endif
