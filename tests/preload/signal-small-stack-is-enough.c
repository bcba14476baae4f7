// SPDX-License-Identifier: MIT
// claim: the dump, also one that fails with a message, needs less than 1.5 KiB of a handler's stack
// run: UNCONTEND_SIGNAL=USR1
// run: UNCONTEND_SIGNAL=USR1 UNCONTEND_DUMP_FILE=/no-such-directory/%p.%e
// run: UNCONTEND_SIGNAL=USR1 UNCONTEND_DUMP_FORMAT=prometheus
#include "lib/dump.h"

enum { PAGES = 16, OURS = 1536, FILL = 0x5a };

static stack_t stack;
static volatile sig_atomic_t calls;

static void on_signal(int number)
{
    (void)number;
    calls++;
}

static void set_own(int number)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    CHECK_CALL(sigaction(number, &action, NULL));
}

static size_t stack_used_by(int number)
{
    size_t unused = 0;

    memset(stack.ss_sp, FILL, stack.ss_size);
    raise(number);
    while (unused < stack.ss_size && ((unsigned char *)stack.ss_sp)[unused] == FILL)
        unused++;
    return stack.ss_size - unused;
}

int main(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), frame, used;

    check_deadline(20);
    memset(&stack, 0, sizeof(stack));
    stack.ss_size = PAGES * page;
    stack.ss_sp =
        mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stack.ss_sp != MAP_FAILED, "mmap: %s", strerror(errno));
    CHECK_CALL(sigaltstack(&stack, NULL));
    // The auxiliary vector tells the most it could be, on some CPUs 8 KiB more than it is.
    set_own(SIGUSR2);
    frame = stack_used_by(SIGUSR2);
    CHECK(frame > 0, "no handler runs on the other stack");
    calls = 0;
    // Unasked first: then the program's own.
    for (int own = 0; own < 2; own++) {
        if (own)
            set_own(SIGUSR1);
        used = stack_used_by(SIGUSR1);
        CHECK(used > 0, "the handler did not run on the other stack (own %d)", own);
        CHECK(used <= frame + OURS, "%zu bytes of stack; a plain handler's is %zu", used, frame);
    }
    CHECK_IS(calls, 1);
    return CHECK_PASS;
}
