// SPDX-License-Identifier: MIT
// sigaction and its older relatives. Every signal but the chosen one goes straight to libc; for
// that one libc does the work as well, with our entry point in the place of the handler.
#include <errno.h>

#include "libc.h"
#include "real.h"
#include "sigshim.h"

UC_EXPORT int sigaction(int number, const struct sigaction *restrict wanted,
                        struct sigaction *restrict was)
{
    if (uc_unlikely(!UC_REAL_READY(sigaction)))
        return uc_signal_early(number, wanted, was);
    if (uc_signal_ours(number))
        return uc_signal_action(number, wanted, was);
    return uc_real.sigaction(number, wanted, was);
}

int __sigaction(int number, const struct sigaction *wanted, struct sigaction *was);
UC_EXPORT int __sigaction(int number, const struct sigaction *wanted, struct sigaction *was)
{
    return sigaction(number, wanted, was);
}

static sighandler_t early(int number, sighandler_t handler, int flags)
{
    struct sigaction wanted = {.sa_handler = handler, .sa_flags = flags};
    struct sigaction was;
    return uc_signal_early(number, &wanted, &was) < 0 ? SIG_ERR : was.sa_handler;
}

#define SHIM(name, early_flags)                                                                    \
    sighandler_t name(int number, sighandler_t handler);                                           \
    UC_EXPORT sighandler_t name(int number, sighandler_t handler)                                  \
    {                                                                                              \
        if (uc_unlikely(!UC_REAL_READY(name)))                                                     \
            return early(number, handler, early_flags);                                            \
        if (uc_signal_ours(number))                                                                \
            return uc_signal_out(uc_real.name(number, uc_signal_in(handler)));                     \
        return uc_real.name(number, handler);                                                      \
    }

enum { BSD = SA_RESTART, SYSV = (int)(SA_RESETHAND | SA_NODEFER) };

#undef signal
#undef sysv_signal
SHIM(signal, BSD)
SHIM(bsd_signal, BSD)
SHIM(__sysv_signal, SYSV)
SHIM(sigset, 0)
#if UC_GLIBC // musl has none of these
SHIM(ssignal, BSD)
SHIM(sysv_signal, SYSV)
#endif
