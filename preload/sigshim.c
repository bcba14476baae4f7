// SPDX-License-Identifier: MIT
// Owns the entry points and what happens in them: first the dump, then exactly what the program
// asked for. A handler of the program may leave by a jump, or never come back: nothing is held
// while it runs.
#include "sigshim.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "real.h"
#include "report.h"
#include "say.h"
#include "signame.h"
#include "sys.h"

#define UC_ALLOW_SIGACTION
#include "poison.h"

enum {
    UNASKED, // the program never said anything about this signal
    DEFAULT, // it asked for SIG_DFL
    FIRST,   // its handlers, in the order in which they came
    ENTRIES = 64,
};

typedef void handler_fn(int, siginfo_t *, void *);

int uc_signal_number;

// From FIRST on set once, from 0, and never changed; before it 0, which is SIG_DFL.
static _Atomic(uintptr_t) handlers[ENTRIES];

static void deliver(unsigned place, int number, siginfo_t *info, void *context);

// One function for each place, so that the address in the kernel says which handler is meant.
// clang-format off
#define EIGHT(X, row) X(0##row##0) X(0##row##1) X(0##row##2) X(0##row##3) X(0##row##4) \
    X(0##row##5) X(0##row##6) X(0##row##7)
#define ALL(X) EIGHT(X, 0) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3) EIGHT(X, 4) EIGHT(X, 5) \
    EIGHT(X, 6) EIGHT(X, 7)
#define ENTRY(place)                                                                               \
    static void entry_##place(int number, siginfo_t *info, void *context)                          \
    {                                                                                              \
        deliver(place, number, info, context);                                                     \
    }
// clang-format on
ALL(ENTRY)
#define ADDRESS(place) [place] = entry_##place,
static handler_fn *const entries[ENTRIES] = {ALL(ADDRESS)};

static sighandler_t entry_at(unsigned place)
{
    return (sighandler_t)(uintptr_t)entries[place];
}

sighandler_t uc_signal_in(sighandler_t handler)
{
    uintptr_t wanted = (uintptr_t)handler;
    if (handler == SIG_IGN || handler == SIG_HOLD || handler == SIG_ERR)
        return handler;
    if (handler == SIG_DFL)
        return entry_at(DEFAULT);
    for (unsigned i = FIRST; i < ENTRIES; i++) {
        uintptr_t there = atomic_load_explicit(&handlers[i], memory_order_relaxed);
        if (there == 0 &&
            atomic_compare_exchange_strong_explicit(&handlers[i], &there, wanted,
                                                    memory_order_relaxed, memory_order_relaxed))
            return entry_at(i);
        if (there == wanted)
            return entry_at(i);
    }
    return handler; // a handler without a dump rather than no handler
}

sighandler_t uc_signal_out(sighandler_t handler)
{
    for (unsigned i = 0; i < ENTRIES; i++) {
        if (handler == entry_at(i))
            return (sighandler_t)atomic_load_explicit(&handlers[i], memory_order_relaxed);
    }
    return handler;
}

int uc_signal_action(int number, const struct sigaction *wanted, struct sigaction *was)
{
    struct sigaction ours;
    if (wanted) {
        ours = *wanted;
        ours.sa_handler = uc_signal_in(wanted->sa_handler);
    }
    int r = uc_real.sigaction(number, wanted ? &ours : NULL, was);
    if (r < 0 || !was)
        return r;
    if (was->sa_handler == entry_at(UNASKED)) {
        // As the kernel has it for a signal that nobody asked about.
        sigemptyset(&was->sa_mask);
        was->sa_flags = 0;
        was->sa_restorer = NULL;
    }
    was->sa_handler = uc_signal_out(was->sa_handler);
    return r;
}

// What happens where there is no handler: mostly the end, by this very signal, so that whoever
// waits for the process learns it. A signal that stops, or does nothing, comes back here.
static void act_by_default(int number)
{
    struct sigaction none = {.sa_handler = SIG_DFL};
    struct sigaction ours;
    struct sigaction now;
    uint64_t only = UINT64_C(1) << (number - 1);
    uint64_t mask;
    if (uc_real.sigaction(number, &none, &ours) < 0)
        return;
    (void)UC_SYS3(SYS_tgkill, uc_sys_getpid(), uc_sys_gettid(), number);
    (void)UC_SYS4(SYS_rt_sigprocmask, SIG_UNBLOCK, &only, &mask, sizeof only);
    (void)UC_SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
    if (uc_real.sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        (void)uc_real.sigaction(number, &ours, NULL);
}

static void deliver(unsigned place, int number, siginfo_t *info, void *context)
{
    if (place < FIRST) {
        uc_report_dump();
        if (place == DEFAULT)
            act_by_default(number);
        return;
    }
    uc_report_dump_beside_program();
    handler_fn *handler =
        (handler_fn *)atomic_load_explicit(&handlers[place], memory_order_relaxed);
    handler(number, info, context);
}

// The number that UNCONTEND_SIGNAL asks for.
static int number_wanted(const struct uc_options *o)
{
    int number = uc_signame_parse(o->dump_signal);
    if (number >= 0)
        return number;
    uc_say("UNCONTEND_SIGNAL='%s' cannot be used (%s); using USR1", o->dump_signal,
           uc_signame_refusal(number));
    if (o->strict)
        (void)UC_SYS1(SYS_exit_group, UC_EXIT_BAD_SETTING);
    return SIGUSR1;
}

static void set_state(struct uc_state *s, int number, const char *reason)
{
    struct uc_text name = UC_TEXT(s->name);
    uc_signame_show(number, &name);
    uc_text_copy(s->reason, sizeof s->reason, reason);
}

void uc_signal_start(const struct uc_options *o, struct uc_state *s)
{
    struct sigaction now;
    int number = number_wanted(o);
    if (number == 0) {
        set_state(s, 0, "");
        return;
    }
    if (!uc_real_get(UC_REAL_sigaction) || uc_real.sigaction(number, NULL, &now) < 0) {
        set_state(s, 0, "libc's sigaction cannot be reached");
        return;
    }
    uc_signal_number = number;
    set_state(s, number, "");
    if (now.sa_handler == SIG_IGN) {
        // Children inherit that; it may be meant for them.
        set_state(s, number, "ignored since before the start, left so until the program asks");
        return;
    }
    if (now.sa_handler == SIG_DFL) {
        // The program's calls are not cut short more than need be, and its stacks may be small.
        now = (struct sigaction){.sa_flags = SA_RESTART | SA_ONSTACK};
        sigfillset(&now.sa_mask);
        now.sa_handler = entry_at(UNASKED);
    } else {
        now.sa_handler = uc_signal_in(now.sa_handler);
    }
    if (uc_real.sigaction(number, &now, NULL) < 0) {
        uc_signal_number = 0;
        set_state(s, 0, "the kernel refused the handler");
    }
}

// The kernel's own layout.
struct kernel_action {
    sighandler_t handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
};

#if defined(__x86_64__)
enum { NEEDS_RESTORER = 0x04000000 };
void uc_signal_return(void) __attribute__((visibility("hidden")));
// Byte for byte what unwinders take for the end of a handler.
__asm__(".text\n.p2align 4\n.globl uc_signal_return\n.hidden uc_signal_return\n"
        ".type uc_signal_return,@function\nuc_signal_return:\n"
        "movq $15, %rax\nsyscall\n.size uc_signal_return,.-uc_signal_return\n");
#else
enum { NEEDS_RESTORER = 0 };
#define uc_signal_return NULL
#endif

int uc_signal_early(int number, const struct sigaction *wanted, struct sigaction *was)
{
    struct kernel_action give = {0};
    struct kernel_action got = {0};
    if (wanted) {
        give.handler = wanted->sa_handler;
        give.flags = (unsigned long)wanted->sa_flags | NEEDS_RESTORER;
        give.restorer = (void *)uc_signal_return;
        memcpy(&give.mask, &wanted->sa_mask, sizeof give.mask);
    }
    if (UC_SYS4(SYS_rt_sigaction, number, wanted ? &give : NULL, was ? &got : NULL,
                sizeof give.mask) < 0)
        return -1;
    if (was) {
        // Not memset: where the compiler makes a call of it, no other object can be reached yet.
        for (size_t i = 0; i < sizeof *was; i++)
            ((volatile uint8_t *)was)[i] = 0;
        was->sa_handler = got.handler;
        was->sa_flags = (int)got.flags;
        memcpy(&was->sa_mask, &got.mask, sizeof got.mask);
    }
    return 0;
}
