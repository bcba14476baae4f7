// SPDX-License-Identifier: MIT
// clone can make a task that shares the memory and, without thread-local storage of its own, what
// the library knows its maker's thread by: the two are one thread to it, and run at the same time.
// The maker is stopped at each instruction of a draw in turn, the other then runs to some
// instruction of its own, and the maker goes on first.
// claim: a task that shares its maker's thread draws what its maker does not
// time: 60
// old-kernel: none, random numbers are libc's there
// run: UNCONTEND_RANDOM=vdso
// run: UNCONTEND_RANDOM=drbg
#include "lib/step.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/random.h>

enum { BYTES = 16, TWIN_STOPS = 8, STACK = 64 * 1024 };

enum turn { MAKER, TWIN, END };

static volatile int turn = MAKER;
static volatile bool twin_done;
static volatile bool is_twin;      // only read by the handlers: of whose turn it is
static long maker_stop, twin_stop; // instruction of each one's draw
static uint8_t by_maker[BYTES], by_twin[BYTES];

// Each in its own turn, so that what they share besides is used by one at a time.
static void give_turn(int to, int mine)
{
    __atomic_store_n(&turn, to, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) != mine)
        sched_yield();
}

static long steps_of[2];

static void on_trap(int number, siginfo_t *info, void *context)
{
    bool twin = is_twin;
    (void)number;
    (void)info;

    if (steps_of[twin]++ != (twin ? twin_stop : maker_stop))
        return;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)STEP_TRAP_FLAG;
    is_twin = !twin;
    give_turn(twin ? MAKER : TWIN, twin ? TWIN : MAKER);
    is_twin = twin;
}

static void draw(uint8_t bytes[BYTES])
{
    step_on();
    ssize_t n = getrandom(bytes, BYTES, 0);
    step_off();
    CHECK_IS(n, BYTES);
}

static int be_twin(void *unused)
{
    (void)unused;
    for (;;) {
        while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) == MAKER)
            sched_yield();
        if (turn == END)
            return CHECK_PASS;
        is_twin = true;
        draw(by_twin);
        is_twin = false;
        twin_done = true;
        __atomic_store_n(&turn, MAKER, __ATOMIC_SEQ_CST);
    }
}

// Both once. How many instructions the longer of the two draws took.
static long draw_both(void)
{
    twin_done = false;
    steps_of[0] = steps_of[1] = 0;
    draw(by_maker);
    while (!twin_done)
        give_turn(TWIN, MAKER);
    for (int i = 0; i + 8 <= BYTES; i += 8)
        CHECK(memcmp(by_maker + i, by_twin + i, 8) != 0,
              "stopped after instructions %ld and %ld, both drew the same", maker_stop, twin_stop);
    return steps_of[0] > steps_of[1] ? steps_of[0] : steps_of[1];
}

int main(void)
{
    struct sigaction action;
    uint8_t first[BYTES];
    long length;
    pid_t pid;

    check_deadline(50);
    CHECK_IS(getrandom(first, sizeof(first), 0), sizeof(first));
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO;
    CHECK_CALL(sigaction(SIGTRAP, &action, NULL));
    pid = CHECK_CALL(clone(be_twin, (char *)check_shared(STACK) + STACK,
                           CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, NULL));
    maker_stop = twin_stop = 1000000;
    draw_both();
    length = draw_both();
    for (maker_stop = 0; maker_stop < length; maker_stop++)
        for (int i = 0; i < TWIN_STOPS; i++) {
            twin_stop = i * length / TWIN_STOPS;
            draw_both();
        }
    __atomic_store_n(&turn, END, __ATOMIC_SEQ_CST);
    CHECK_IS(check_collect(pid), CHECK_PASS);
    return CHECK_PASS;
}
