// SPDX-License-Identifier: MIT
// claim: a handler that leaves by siglongjmp, or never returns from a nested signal, leaves nothing
// held: each later signal dumps and is delivered
// run: UNCONTEND_SIGNAL=USR1 UNCONTEND_DUMP_FORMAT=json
#include "lib/dump.h"
#include <setjmp.h>

static sigjmp_buf back;
static volatile sig_atomic_t calls, depth;

static void jump(int number)
{
    (void)number;
    calls++;
    siglongjmp(back, 1);
}

static void nest(int number)
{
    calls++;
    if (++depth < 10)
        raise(number);
    depth--;
}

int main(void)
{
    struct sigaction action;

    check_deadline(20);
    signal(SIGUSR1, jump);
    for (int i = 1; i <= 200; i++) {
        if (sigsetjmp(back, 1) == 0) {
            raise(SIGUSR1);
            FAIL("came back from a handler that jumps");
        }
        CHECK_IS(calls, i);
        CHECK_IS(dump_count_all(), i);
    }
    memset(&action, 0, sizeof(action));
    action.sa_handler = nest;
    action.sa_flags = SA_NODEFER;
    CHECK_CALL(sigaction(SIGUSR1, &action, NULL));
    calls = 0;
    raise(SIGUSR1);
    CHECK_IS(calls, 10);
    CHECK_IS(depth, 0);
    CHECK_IS(dump_count_all(), 210);
    return CHECK_PASS;
}
