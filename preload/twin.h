// SPDX-License-Identifier: MIT
// Owns what is given up before a second task gets the identity of a thread.
// Cost: a look at the flags; once, for a task that is such a twin, what ending bias takes.
#ifndef UC_TWIN_H
#define UC_TWIN_H

// Of any thread's clone(), before it: its flags. A task that shares the memory and was given no
// thread-local storage of its own has its maker's: one record, one generator, one set of entries
// for read locks, for two that run at the same time. From then on random numbers and read locks
// are libc's.
void uc_twin_notice(int flags);

#endif
