// SPDX-License-Identifier: MIT
// Owns the library's own words on stderr.
#include "say.h"

#include "sys.h"

#include "poison.h"

enum { STDERR = 2, LINE = 512 };

static uint64_t identity[2];
static bool have;
static bool talkative;

void uc_say_start(bool verbose)
{
    have = uc_sys_identify(STDERR, identity) == 0;
    talkative = verbose;
}

void uc_say_raw(const char *s, size_t n)
{
    uint64_t now[2];
    if (!have || uc_sys_identify(STDERR, now) < 0 || now[0] != identity[0] || now[1] != identity[1])
        return;
    while (n > 0) {
        long r = uc_sys_write(STDERR, s, n);
        if (r <= 0)
            return;
        s += r;
        n -= (size_t)r;
    }
}

static void line(const char *format, va_list args)
{
    char buffer[LINE];
    struct uc_text t = UC_TEXT(buffer);
    t.capacity -= 1; // for the newline
    uc_text_add(&t, "uncontend: ");
    uc_text_addv(&t, format, args);
    t.capacity += 1;
    uc_text_add(&t, "\n");
    uc_say_raw(t.at, t.length);
}

void uc_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    line(format, args);
    va_end(args);
}

void uc_say_verbose(const char *format, ...)
{
    if (!talkative)
        return;
    va_list args;
    va_start(args, format);
    line(format, args);
    va_end(args);
}
