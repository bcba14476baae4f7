// SPDX-License-Identifier: MIT
// claim: the dump, also one that fails with a message, needs less than 1.5 KiB of a handler's stack
// run: UNCONTEND_SIGNAL=USR1
// run: UNCONTEND_SIGNAL=USR1 UNCONTEND_DUMP_FILE=/no-such-directory/%p.%e
// run: UNCONTEND_SIGNAL=USR1 UNCONTEND_DUMP_FORMAT=prometheus
#include "lib/dump.h"
#include <sys/auxv.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

enum { PAGES = 16, OURS = 1536, FILL = 0x5a };

static volatile sig_atomic_t calls;

static void on_signal(int number)
{
    (void)number;
    calls++;
}

int main(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), frame = getauxval(AT_MINSIGSTKSZ), used = 0;
    stack_t stack;
    struct sigaction action;

    check_deadline(20);
    if (frame == 0)
        SKIP("the kernel does not say how large a signal's frame is");
    memset(&stack, 0, sizeof(stack));
    stack.ss_size = PAGES * page;
    stack.ss_sp =
        mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stack.ss_sp != MAP_FAILED, "mmap: %s", strerror(errno));
    CHECK_CALL(sigaltstack(&stack, NULL));
    // Unasked first: then the program's own.
    for (int own = 0; own < 2; own++) {
        if (own) {
            memset(&action, 0, sizeof(action));
            action.sa_handler = on_signal;
            action.sa_flags = SA_ONSTACK;
            CHECK_CALL(sigaction(SIGUSR1, &action, NULL));
        }
        memset(stack.ss_sp, FILL, stack.ss_size);
        raise(SIGUSR1);
        while (used < stack.ss_size && ((unsigned char *)stack.ss_sp)[used] == FILL)
            used++;
        used = stack.ss_size - used;
        CHECK(used > 0, "the handler did not run on the other stack (own %d)", own);
        CHECK(used <= frame + OURS, "%zu bytes of stack; the kernel's frame is %zu", used, frame);
        used = 0;
    }
    CHECK_IS(calls, 1);
    return CHECK_PASS;
}
