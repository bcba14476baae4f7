// SPDX-License-Identifier: MIT
// claim: a program that asked for the default action gets a dump, and then that action: it ends by
// this very signal, stops, or nothing happens
// run: UNCONTEND_SIGNAL=none
#include "lib/dump.h"

static char said[1 << 16];

// As a daemon does at its start.
static void ask_for_default(int number)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = SIG_DFL;
    CHECK_CALL(sigaction(number, &action, NULL));
}

static void *sleep_on(void *unused)
{
    pause();
    return unused;
}

static int child(const char *role)
{
    sigset_t all;

    check_deadline(10);
    if (strcmp(role, "raise") == 0) {
        ask_for_default(SIGUSR1);
        raise(SIGUSR1);
    } else if (strcmp(role, "nodefer") == 0) {
        struct sigaction action = {.sa_handler = SIG_DFL, .sa_flags = SA_NODEFER};

        CHECK_CALL(sigaction(SIGUSR1, &action, NULL));
        raise(SIGUSR1);
    } else if (strcmp(role, "signal") == 0) {
        signal(SIGUSR1, SIG_IGN);
        signal(SIGUSR1, SIG_DFL);
        kill(getpid(), SIGUSR1);
    } else if (strcmp(role, "thread") == 0) {
        // Only another thread can take it.
        ask_for_default(SIGUSR1);
        check_thread(sleep_on, NULL);
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
        kill(getpid(), SIGUSR1);
        pause();
    } else if (strcmp(role, "winch") == 0) {
        ask_for_default(SIGWINCH);
        for (int i = 1; i <= 3; i++) {
            raise(SIGWINCH);
            CHECK_IS(dump_count(), i);
        }
        return 33;
    } else if (strcmp(role, "tstp") == 0) {
        ask_for_default(SIGTSTP);
        for (int i = 1; i <= 2; i++) {
            raise(SIGTSTP);
            CHECK_IS(dump_count(), i);
        }
        return 44;
    }
    return 1;
}

static void expect(const char *role, char *setting, int status, int dumps)
{
    char *settings[] = {setting, NULL};
    int got = dump_again(role, settings, said, sizeof(said));

    if (got != status || dump_occurrences(said, DUMP_HEAD) != dumps)
        FAIL("%s: expected status %d and %d dumps, got %d and %d: %s", role, status, dumps, got,
             dump_occurrences(said, DUMP_HEAD), said);
}

// Its parent sees it stop, twice, and sets it going again.
static void stops(void)
{
    int status;
    pid_t pid = CHECK_CALL(fork());

    if (pid == 0) {
        putenv((char[]){"UNCONTEND_SIGNAL=TSTP"});
        setpgid(0, 0); // an orphaned group would not be stopped; this one has us
        execl("/proc/self/exe", program_invocation_name, "tstp", NULL);
        _exit(126);
    }
    for (int i = 0; i < 2; i++) {
        CHECK_IS(waitpid(pid, &status, WUNTRACED), pid);
        CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTSTP, "status %x", (unsigned)status);
        kill(pid, SIGCONT);
    }
    CHECK_IS(check_collect(pid), 44);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return child(argv[1]);
    check_deadline(25);
    expect("raise", "UNCONTEND_SIGNAL=USR1", -SIGUSR1, 1);
    expect("nodefer", "UNCONTEND_SIGNAL=USR1", -SIGUSR1, 1);
    expect("signal", "UNCONTEND_SIGNAL=USR1", -SIGUSR1, 1);
    expect("thread", "UNCONTEND_SIGNAL=USR1", -SIGUSR1, 1);
    expect("raise", "UNCONTEND_SIGNAL=none", -SIGUSR1, 0);
    expect("raise", "UNCONTEND_DISABLE=on", -SIGUSR1, 0);
    expect("winch", "UNCONTEND_SIGNAL=WINCH", 33, 3);
    stops();
    return CHECK_PASS;
}
