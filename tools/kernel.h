// SPDX-License-Identifier: MIT
// Owns what `uncontend doctor` finds out about the kernel, by asking for each thing in its own
// process: what a sandbox refuses to this command it may allow to the program, and the other way.
// Cost: some twenty system calls.
#ifndef UC_KERNEL_H
#define UC_KERNEL_H

// Prints one line for each feature.
void uc_kernel_print(void);

// One line of the doctor's: "  ok   WHAT" or "  no   WHAT: WHY", broken to fit the screen.
void uc_doctor_line(const char *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
