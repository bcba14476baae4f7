// SPDX-License-Identifier: MIT
// claim: a signal that was ignored or blocked before the start still is, also in what is started
// later; and nothing of ours is inherited
// run: UNCONTEND_SIGNAL=USR1
// run: UNCONTEND_SIGNAL=none
// compare
#include "lib/check.h"

// What the kernel says a program without the library was given.
static void show_inherited(void)
{
    fflush(stdout);
    pid_t pid = CHECK_CALL(fork());

    if (pid == 0) {
        unsetenv("LD_PRELOAD");
        execl("/bin/grep", "grep", "-E", "^Sig(Blk|Ign|Cgt)", "/proc/self/status", NULL);
        _exit(126);
    }
    printf("status %d\n", check_collect(pid));
}

static void show(const char *what)
{
    struct sigaction now;

    CHECK_CALL(sigaction(SIGUSR1, NULL, &now));
    printf("%s: %s\n", what,
           now.sa_handler == SIG_IGN   ? "ignored"
           : now.sa_handler == SIG_DFL ? "default"
                                       : "caught");
    show_inherited();
}

static void on_signal(int number)
{
    printf("got %d\n", number);
}

int main(int argc, char **argv)
{
    sigset_t only;

    check_deadline(20);
    if (argc == 1) {
        show("first");
        signal(SIGUSR1, SIG_IGN);
        show("set to ignored");
        sigemptyset(&only);
        sigaddset(&only, SIGUSR1);
        sigprocmask(SIG_BLOCK, &only, NULL);
        raise(SIGUSR1);
        fflush(stdout);
        execl("/proc/self/exe", argv[0], "second", NULL);
        return CHECK_FAILED;
    }
    show("second");
    raise(SIGUSR1);
    sigemptyset(&only);
    sigprocmask(SIG_SETMASK, &only, NULL);
    raise(SIGUSR1);
    show("ignored it twice");
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    show("caught");
    signal(SIGUSR1, SIG_DFL);
    show("default");
    return CHECK_PASS;
}
