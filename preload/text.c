// SPDX-License-Identifier: MIT
// Owns text: formatting, numbers, globs. Must not call anything but string functions that are
// async-signal-safe.
#include "text.h"

#include <errno.h>
#include <string.h>

#include "poison.h"

static void put(struct uc_text *t, const char *s, size_t n)
{
    size_t room = t->capacity - 1 - t->length;
    if (n > room) {
        n = room;
        t->cut = true;
    }
    memcpy(t->at + t->length, s, n);
    t->length += n;
    t->at[t->length] = '\0';
}

static void pad(struct uc_text *t, size_t used, size_t width)
{
    for (; used < width; used++)
        put(t, " ", 1);
}

static void put_number(struct uc_text *t, uint64_t v, bool negative, unsigned base, size_t width)
{
    char digits[24];
    size_t n = sizeof digits;
    do {
        digits[--n] = "0123456789abcdef"[v % base];
        v /= base;
    } while (v);
    if (negative)
        digits[--n] = '-';
    pad(t, sizeof digits - n, width);
    put(t, digits + n, sizeof digits - n);
}

static void put_string(struct uc_text *t, const char *s, size_t width)
{
    s = s ? s : "(null)";
    size_t n = strlen(s);
    put(t, s, n);
    pad(t, n, width);
}

static void put_signed(struct uc_text *t, long v, size_t width)
{
    put_number(t, v < 0 ? -(uint64_t)v : (uint64_t)v, v < 0, 10, width);
}

void uc_text_addv(struct uc_text *t, const char *format, va_list args)
{
    for (const char *p = format; *p; p++) {
        if (*p != '%') {
            size_t n = strcspn(p, "%");
            put(t, p, n);
            p += n - 1;
            continue;
        }
        size_t width = 0;
        for (p++; *p >= '0' && *p <= '9'; p++)
            width = width * 10 + (size_t)(*p - '0');
        bool wide = *p == 'l' || *p == 'z';
        p += wide;
        switch (*p) {
        case 's':
            put_string(t, va_arg(args, const char *), width);
            break;
        case 'c':
            put(t, (char[1]){(char)va_arg(args, int)}, 1);
            break;
        case 'd':
            put_signed(t, wide ? va_arg(args, long) : va_arg(args, int), width);
            break;
        case 'u':
        case 'x':
            put_number(t, wide ? va_arg(args, unsigned long) : va_arg(args, unsigned), false,
                       *p == 'u' ? 10 : 16, width);
            break;
        case 'p':
            put(t, "0x", 2);
            put_number(t, (uintptr_t)va_arg(args, void *), false, 16, 0);
            break;
        default:
            put(t, "%", 1);
            if (*p == '\0')
                return;
        }
    }
}

void uc_text_add(struct uc_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    uc_text_addv(t, format, args);
    va_end(args);
}

int uc_text_number(const char *s, uint64_t *value)
{
    uint64_t v = 0;
    const char *p = s;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p - '0', &v))
            return -ERANGE;
    }
    if (p == s)
        return -EINVAL;
    unsigned shift = *p == 'K' ? 10 : *p == 'M' ? 20 : *p == 'G' ? 30 : 0;
    if (p[shift ? 1 : 0] != '\0')
        return -EINVAL;
    if (v > UINT64_MAX >> shift)
        return -ERANGE;
    *value = v << shift;
    return 0;
}

static bool glob(const char *p, const char *end, const char *s)
{
    const char *star = NULL;
    const char *resume = NULL;
    for (;;) {
        if (p < end && *p == '*') {
            star = ++p;
            resume = s;
        } else if (*s == '\0') {
            return p == end;
        } else if (p < end && (*p == '?' || *p == *s)) {
            p++;
            s++;
        } else if (star) {
            p = star;
            s = ++resume;
        } else {
            return false;
        }
    }
}

bool uc_text_glob(const char *pattern, const char *s)
{
    return glob(pattern, pattern + strlen(pattern), s);
}

bool uc_text_glob_any(const char *patterns, const char *s)
{
    for (const char *p = patterns;; p++) {
        const char *end = strchrnul(p, ':');
        if (end > p && glob(p, end, s))
            return true;
        if (*end == '\0')
            return false;
        p = end;
    }
}

bool uc_text_copy(char *to, size_t capacity, const char *s)
{
    size_t n = strnlen(s, capacity);
    bool fits = n < capacity;
    n -= !fits;
    memcpy(to, s, n);
    to[n] = '\0';
    return fits;
}
