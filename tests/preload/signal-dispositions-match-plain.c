// SPDX-License-Identifier: MIT
// claim: whatever a program sets, sees and gets for the dump's signal through any of libc's
// functions is what it would be without the library
// compare
// run:
// run: UNCONTEND_SIGNAL=USR2
// run: UNCONTEND_SIGNAL=RTMIN+3
// run: UNCONTEND_SIGNAL=URG
// run: UNCONTEND_SIGNAL=none
// run: UNCONTEND_DISABLE=on
// cflags: -Wno-deprecated-declarations
#include "lib/check.h"
#include <sys/signalfd.h>

// No header declares it for the standards in force here.
sighandler_t bsd_signal(int number, sighandler_t handler);

// Which libc sets where the kernel must have it; elsewhere what is there is what lay on its stack.
#ifdef __x86_64__
enum { HAS_RESTORER = 1 };
#else
enum { HAS_RESTORER = 0 };
#endif

static stack_t stack;
static sigset_t seen_mask;
static volatile sig_atomic_t calls, seen_on_stack, seen_errno, seen_number, seen_code, which;
static int in_flags;

static const char *mask_text(const sigset_t *set)
{
    static char text[256];
    char *at = text;

    for (int i = 1; i < 65; i++)
        if (sigismember(set, i) == 1)
            at += sprintf(at, "%d ", i);
    *at = '\0';
    return text;
}

static void note(int number, int me)
{
    char here;

    calls++;
    which = me;
    seen_number = number;
    seen_errno = errno;
    seen_on_stack = &here >= (char *)stack.ss_sp && &here < (char *)stack.ss_sp + stack.ss_size;
    sigprocmask(SIG_BLOCK, NULL, &seen_mask);
    errno = ENXIO;
}

static void one(int number)
{
    note(number, 1);
}

static void two(int number)
{
    note(number, 2);
}

static void informed(int number, siginfo_t *info, void *context)
{
    note(number, 3);
    if (in_flags & SA_SIGINFO)
        seen_code = info->si_code == SI_TKILL && context != NULL;
}

static const char *name_of(sighandler_t handler)
{
    if (handler == SIG_DFL)
        return "default";
    if (handler == SIG_IGN)
        return "ignore";
    if (handler == SIG_ERR)
        return "error";
    if (handler == SIG_HOLD)
        return "hold";
    if (handler == one)
        return "one";
    if (handler == two)
        return "two";
    if (handler == (sighandler_t)(uintptr_t)informed)
        return "informed";
    return "unknown";
}

static void show(const char *what, int number)
{
    struct sigaction now;
    int r;

    memset(&now, 0x55, sizeof(now));
    errno = 0;
    r = sigaction(number, NULL, &now);
    printf("  %s: %d %d %s flags %x restorer %d mask %s\n", what, r, errno, name_of(now.sa_handler),
           (unsigned)now.sa_flags, HAS_RESTORER && now.sa_restorer != NULL,
           mask_text(&now.sa_mask));
}

static void get(int number)
{
    calls = 0;
    errno = EDOM;
    raise(number);
    printf("  raised: %d calls, handler %d, number %d, errno inside %d after %d, on stack %d, info "
           "%d, mask %s\n",
           (int)calls, (int)which, (int)seen_number, (int)seen_errno, errno, (int)seen_on_stack,
           (int)seen_code, mask_text(&seen_mask));
}

// Every combination of flags: set, see, get, see again.
static void try_flags(int number)
{
    static const int flags[] = {SA_SIGINFO, (int)SA_RESETHAND, SA_NODEFER,
                                SA_ONSTACK, SA_RESTART,        SA_NOCLDSTOP};

    for (int i = 0; i < 1 << 6; i++) {
        struct sigaction action, old;

        memset(&action, 0, sizeof(action));
        memset(&old, 0x55, sizeof(old));
        in_flags = 0;
        for (int j = 0; j < 6; j++)
            in_flags |= i & 1 << j ? flags[j] : 0;
        action.sa_flags = in_flags;
        action.sa_sigaction = informed;
        sigaddset(&action.sa_mask, SIGHUP);
        sigaddset(&action.sa_mask, 40);
        printf("flags %x: %d, ", (unsigned)in_flags, sigaction(number, &action, &old));
        printf("was %s %x\n", name_of(old.sa_handler), (unsigned)old.sa_flags);
        show("set", number);
        get(number);
        show("after", number);
    }
}

typedef sighandler_t set_fn(int, sighandler_t);

static void try_old_functions(int number)
{
    static const struct {
        const char *name;
        set_fn *set;
    } ways[] = {
        {"signal", signal},           {"bsd_signal", bsd_signal},       {"ssignal", ssignal},
        {"sysv_signal", sysv_signal}, {"__sysv_signal", __sysv_signal}, {"sigset", sigset}};
    static sighandler_t const handlers[] = {one, two, SIG_IGN, one, SIG_DFL, SIG_ERR, two};

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        for (size_t j = 0; j < sizeof(handlers) / sizeof(handlers[0]); j++) {
            errno = 0;
            printf("%s %s: was %s, ", ways[i].name, name_of(handlers[j]),
                   name_of(ways[i].set(number, handlers[j])));
            printf("errno %d\n", errno);
            show("set", number);
            if (handlers[j] == one || handlers[j] == two) {
                get(number);
                show("after", number);
                printf("  again: was %s\n", name_of(ways[i].set(number, handlers[j])));
            }
        }
    }
}

static void try_hold(int number)
{
    sigset_t none, pending;

    printf("sigset one: %s\n", name_of(sigset(number, one)));
    printf("sigset hold: %s\n", name_of(sigset(number, SIG_HOLD)));
    show("held", number);
    calls = 0;
    raise(number);
    sigpending(&pending);
    printf("  held: %d calls, pending %d\n", (int)calls, sigismember(&pending, number));
    printf("sigset hold again: %s\n", name_of(sigset(number, SIG_HOLD)));
    printf("sigset two: %s\n", name_of(sigset(number, two)));
    printf("  free: %d calls, handler %d\n", (int)calls, (int)which);
    sighold(number);
    raise(number);
    sigrelse(number);
    printf("  sighold, sigrelse: %d calls\n", (int)calls);
    printf("sigignore: %d\n", sigignore(number));
    show("ignored", number);
    get(number);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void try_interrupt(int number)
{
    signal(number, one);
    printf("siginterrupt 1: %d\n", siginterrupt(number, 1));
    show("interrupting", number);
    signal(number, two);
    show("set after", number);
    get(number);
    printf("siginterrupt 0: %d\n", siginterrupt(number, 0));
    show("restarting", number);
    signal(number, one);
    show("set after", number);
}

static void try_waits(int number)
{
    sigset_t only;
    siginfo_t info;
    struct signalfd_siginfo from;
    int got = 0, fd;

    signal(number, one);
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_BLOCK, &only, NULL);
    calls = 0;
    raise(number);
    printf("sigwait: %d", sigwait(&only, &got));
    printf(" %d, %d calls\n", got == number, (int)calls);
    raise(number);
    printf("sigwaitinfo: %d, %d calls\n", sigwaitinfo(&only, &info) == number, (int)calls);
    fd = signalfd(-1, &only, 0);
    raise(number);
    printf("signalfd: %d", read(fd, &from, sizeof(from)) == sizeof(from));
    printf(" %d, %d calls\n", (int)from.ssi_signo == number, (int)calls);
    close(fd);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    printf("  unblocked: %d calls\n", (int)calls);
}

static void try_bad_numbers(void)
{
    static const int bad[] = {0, -1, 65, 1000, SIGKILL, SIGSTOP, 32, 33};
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = one;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        errno = 0;
        printf("bad %d: sigaction %d", bad[i], sigaction(bad[i], &action, NULL));
        printf(" %d, see %d", errno, sigaction(bad[i], NULL, &action));
        printf(" %d, signal %s", errno, name_of(signal(bad[i], one)));
        printf(" %d, sigset %s", errno, name_of(sigset(bad[i], one)));
        printf(" %d, sysv_signal %s", errno, name_of(sysv_signal(bad[i], one)));
        printf(" %d\n", errno);
        action.sa_handler = one;
    }
}

int main(void)
{
    const int numbers[] = {SIGUSR1, SIGUSR2, SIGRTMIN + 3, SIGURG};

    check_deadline(20);
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    stack.ss_size = 65536;
    stack.ss_sp = malloc(stack.ss_size);
    CHECK_CALL(sigaltstack(&stack, NULL));
    try_bad_numbers();
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        int number = numbers[i];

        printf("signal %d\n", number);
        show("at start", number);
        try_flags(number);
        try_old_functions(number);
        try_hold(number);
        try_interrupt(number);
        try_waits(number);
        printf("restored: %s\n", name_of(signal(number, SIG_DFL)));
        show("at end", number);
    }
    return CHECK_PASS;
}
