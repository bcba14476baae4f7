// SPDX-License-Identifier: MIT
// Owns the table of signal names. The numbers are those of this architecture's <signal.h>.
#include "signame.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <strings.h>

#include "poison.h"

static const struct {
    const char *name;
    int number;
} names[] = {
    {"HUP", SIGHUP},       {"INT", SIGINT},   {"QUIT", SIGQUIT},     {"USR1", SIGUSR1},
    {"USR2", SIGUSR2},     {"PIPE", SIGPIPE}, {"ALRM", SIGALRM},     {"TERM", SIGTERM},
    {"STKFLT", SIGSTKFLT}, {"CHLD", SIGCHLD}, {"CONT", SIGCONT},     {"TSTP", SIGTSTP},
    {"TTIN", SIGTTIN},     {"TTOU", SIGTTOU}, {"URG", SIGURG},       {"XCPU", SIGXCPU},
    {"XFSZ", SIGXFSZ},     {"PROF", SIGPROF}, {"VTALRM", SIGVTALRM}, {"WINCH", SIGWINCH},
    {"IO", SIGIO},         {"POLL", SIGPOLL}, {"PWR", SIGPWR},       {"KILL", SIGKILL},
    {"STOP", SIGSTOP},     {"SEGV", SIGSEGV}, {"BUS", SIGBUS},       {"ILL", SIGILL},
    {"FPE", SIGFPE},       {"TRAP", SIGTRAP}, {"SYS", SIGSYS},       {"ABRT", SIGABRT},
};

static const int forbidden[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGILL,
                                SIGFPE,  SIGTRAP, SIGSYS,  SIGABRT};

static int allowed(int number)
{
    for (size_t i = 0; i < uc_countof(forbidden); i++) {
        if (number == forbidden[i])
            return -EPERM;
    }
    return number;
}

static int realtime(const char *s)
{
    bool from_least = strncasecmp(s, "RTMIN", 5) == 0;
    if (!from_least && strncasecmp(s, "RTMAX", 5) != 0)
        return -EINVAL;
    int end = from_least ? SIGRTMIN : SIGRTMAX;
    uint64_t away = 0;
    s += 5;
    if (*s && (*s != (from_least ? '+' : '-') || uc_text_number(s + 1, &away) < 0))
        return -EINVAL;
    if (away > (uint64_t)(SIGRTMAX - SIGRTMIN))
        return -EINVAL;
    return from_least ? end + (int)away : end - (int)away;
}

// Between the last classic signal and SIGRTMIN are those that the threads library keeps for itself.
static bool exists(uint64_t number)
{
    return (number >= 1 && number < 32) ||
           (number >= (uint64_t)SIGRTMIN && number <= (uint64_t)SIGRTMAX);
}

int uc_signame_parse(const char *s)
{
    uint64_t number;
    if (strcasecmp(s, "none") == 0)
        return 0;
    if (uc_text_number(s, &number) == 0)
        return exists(number) ? allowed((int)number) : -EINVAL;
    if (strncasecmp(s, "SIG", 3) == 0)
        s += 3;
    for (size_t i = 0; i < uc_countof(names); i++) {
        if (strcasecmp(s, names[i].name) == 0)
            return allowed(names[i].number);
    }
    return realtime(s);
}

const char *uc_signame_refusal(int error)
{
    return error == -EPERM ? "no program gets along without its own use of it"
                           : "a name, RTMIN+n, a number, or none";
}

void uc_signame_show(int number, struct uc_text *out)
{
    for (size_t i = 0; i < uc_countof(names); i++) {
        if (names[i].number == number) {
            uc_text_add(out, "%s", names[i].name);
            return;
        }
    }
    if (number == SIGRTMIN)
        uc_text_add(out, "RTMIN");
    else if (number > SIGRTMIN && number <= SIGRTMAX)
        uc_text_add(out, "RTMIN+%d", number - SIGRTMIN);
    else
        uc_text_add(out, number ? "%d" : "none", number);
}
