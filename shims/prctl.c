// SPDX-License-Identifier: MIT
// prctl, for one question: is the program about to shut itself in? Nothing of its meaning changes.
#include <stdarg.h>

#include "confined.h"
#include "real.h"
#include "sys.h"

int prctl(int option, ...);
UC_EXPORT int prctl(int option, ...)
{
    va_list args;
    va_start(args, option);
    unsigned long a = va_arg(args, unsigned long);
    unsigned long b = va_arg(args, unsigned long);
    unsigned long c = va_arg(args, unsigned long);
    unsigned long d = va_arg(args, unsigned long);
    va_end(args);
    if (uc_real_possible())
        uc_confined_notice(SYS_prctl, option, (long)a, (long)b);
    if (UC_REAL_READY(prctl))
        return uc_real.prctl(option, a, b, c, d);
    return (int)uc_real_result(UC_SYS6(SYS_prctl, option, a, b, c, d, 0));
}
