// SPDX-License-Identifier: MIT
// claim: what a child that shares its parent's memory sets for the signal does not reach the parent
// run: UNCONTEND_SIGNAL=USR1
// run: UNCONTEND_SIGNAL=none
#include "lib/dump.h"
#include "lib/family.h"

static volatile sig_atomic_t parents, childs;

static void of_parent(int number)
{
    (void)number;
    parents++;
}

static void of_child(int number)
{
    (void)number;
    childs++;
}

static void set_in_child(void *way)
{
    if (way == (void *)1)
        signal(SIGUSR1, SIG_DFL);
    else if (way == (void *)2)
        signal(SIGUSR1, SIG_IGN);
    else
        signal(SIGUSR1, of_child);
    _exit(0);
}

int main(void)
{
    struct sigaction now;

    check_deadline(20);
    signal(SIGUSR1, of_parent);
    for (int way = 0; way < FAMILY_WAYS; way++) {
        for (uintptr_t what = 0; what < 3; what++) {
            int before = parents;
            pid_t pid = family_child(way, set_in_child, (void *)what);

            if (pid < 0)
                continue; // this system does not know this way
            CHECK_IS(check_collect(pid), 0);
            CHECK_CALL(sigaction(SIGUSR1, NULL, &now));
            CHECK(now.sa_handler == of_parent, "%s: the parent's handler is %p", family_names[way],
                  (void *)(uintptr_t)now.sa_handler);
            raise(SIGUSR1);
            CHECK_IS(parents, before + 1);
        }
    }
    CHECK_IS(childs, 0);
    return CHECK_PASS;
}
