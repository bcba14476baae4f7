// SPDX-License-Identifier: MIT
// Owns the parsing of SPECs. Nothing is cut before all of it was understood, so that a message can
// show the text as the user wrote it.
#include "spec.h"

#include <errno.h>
#include <string.h>

#include "poison.h"

static const struct {
    const char *name;
    enum uc_operation operation;
    uint8_t width;
} operations[] = {
    {"add32", UC_ADD, 4}, {"add64", UC_ADD, 8},   {"sub32", UC_SUB, 4},
    {"sub64", UC_SUB, 8}, {"load32", UC_LOAD, 4}, {"load64", UC_LOAD, 8},
};

char *uc_spec_next(char **rest)
{
    while (*rest) {
        char *at = *rest;
        char *end = strchr(at, ';');
        *rest = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        at += strspn(at, " \t");
        for (end = at + strlen(at); end > at && (end[-1] == ' ' || end[-1] == '\t'); end--)
            end[-1] = '\0';
        if (*at)
            return at;
    }
    return NULL;
}

static int complain(struct uc_spec_error *e, const char *part, const char *why)
{
    *e = (struct uc_spec_error){.part = part, .why = why};
    return -EINVAL;
}

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t");
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

// A number, decimal or 0x.., up to `most`. -EINVAL: none; -ERANGE: too large.
static int number(const char **at, int64_t most, int32_t *value)
{
    const char *p = *at;
    int base = 10;
    if (p[0] == '0' && (p[1] | 0x20) == 'x') {
        base = 16;
        p += 2;
    }
    if (digit_of(*p) >= base)
        return -EINVAL;
    int64_t v = 0;
    for (; digit_of(*p) < base; p++) {
        v = v * base + digit_of(*p);
        if (v > most)
            return -ERANGE;
    }
    *at = p;
    *value = (int32_t)v;
    return 0;
}

// "0x.." of 64 bits, not 0.
static bool hexadecimal(const char **at, uint64_t *value)
{
    const char *p = *at;
    if (p[0] != '0' || p[1] != 'x')
        return false;
    *value = 0;
    for (p += 2; digit_of(*p) < 16 && *value >> 60 == 0; p++)
        *value = *value << 4 | (uint64_t)digit_of(*p);
    *at = p;
    return *value != 0;
}

// "0xVALUE+SIZE/BUILDID" up to `end`.
static bool parse_location(const char *at, const char *end, struct uc_location *l)
{
    int32_t size;
    if (!hexadecimal(&at, &l->value) || *at++ != '+' || number(&at, UC_SPEC_FARTHEST, &size) < 0 ||
        size == 0 || *at++ != '/')
        return false;
    l->size = (uint64_t)size;
    for (; digit_of(at[0]) < 16 && digit_of(at[1]) < 16; at += 2) {
        if (l->build_id_size == UC_SPEC_BUILD_ID)
            return false;
        l->build_id[l->build_id_size++] = (uint8_t)(digit_of(at[0]) << 4 | digit_of(at[1]));
    }
    return at == end && l->build_id_size > 0;
}

// "argN". -ENOENT: something else stands there; -ERANGE: no such argument.
static int argument(const char **at, int32_t *n)
{
    const char *p = *at;
    if (strncmp(p, "arg", 3) != 0)
        return -ENOENT;
    p += 3;
    if (*p < '0' || *p > '9')
        return -ENOENT;
    if (*p >= '0' + UC_ARGUMENTS || (p[1] >= '0' && p[1] <= '9'))
        return -ERANGE;
    *n = *p - '0';
    *at = p + 1;
    return 0;
}

static int parse_operation(const char **at, struct uc_action *a, struct uc_spec_error *e)
{
    const char *p = *at;
    size_t length = strcspn(p, "( \t");
    if (length > 6 && strncmp(p, "fetch_", 6) == 0) {
        a->fetch = true;
        p += 6;
        length -= 6;
    }
    for (size_t i = 0; i < uc_countof(operations); i++) {
        if (strlen(operations[i].name) != length || memcmp(operations[i].name, p, length) != 0)
            continue;
        a->operation = (uint8_t)operations[i].operation;
        a->width = operations[i].width;
        if (a->fetch && a->operation == UC_LOAD)
            return complain(e, "operation", "a load has no fetch_ form");
        *at = p + length;
        skip_blanks(at);
        return 0;
    }
    return complain(
        e, "operation",
        "must be add32, add64, sub32, sub64, load32 or load64, fetch_ may stand before");
}

static int parse_address(const char **at, struct uc_action *a, struct uc_spec_error *e)
{
    int32_t n;
    skip_blanks(at);
    int r = argument(at, &n);
    if (r == -ERANGE)
        return complain(e, "address", "there are arg0 to arg5");
    if (r < 0)
        return complain(e, "address", "must be argN or argN+OFFSET");
    a->address = (uint8_t)n;
    skip_blanks(at);
    if (**at != '+')
        return 0;
    *at += 1;
    skip_blanks(at);
    r = number(at, UC_SPEC_FARTHEST, &a->offset);
    if (r == -ERANGE)
        return complain(e, "address", "the offset is larger than 1048576");
    if (r < 0)
        return complain(e, "address", "the offset must be a number, decimal or 0x..");
    if (a->offset % a->width)
        return complain(e, "address", "the offset must be a multiple of the counter's width");
    skip_blanks(at);
    return 0;
}

static int parse_amount(const char **at, struct uc_action *a, struct uc_spec_error *e)
{
    a->amount = 1;
    if (**at != ',')
        return 0;
    if (a->operation == UC_LOAD)
        return complain(e, "amount", "a load has none");
    *at += 1;
    skip_blanks(at);
    int r = argument(at, &a->amount);
    if (r == -ERANGE)
        return complain(e, "amount", "there are arg0 to arg5");
    a->amount_is_argument = r == 0;
    if (r < 0) {
        r = number(at, INT32_MAX, &a->amount);
        if (r == -ERANGE)
            return complain(e, "amount", "the number is larger than 2147483647");
        if (r < 0)
            return complain(e, "amount", "must be a number, decimal or 0x.., or argN");
    }
    skip_blanks(at);
    return 0;
}

static int parse_action(const char *at, struct uc_action *a, struct uc_spec_error *e)
{
    *a = (struct uc_action){0};
    int r = parse_operation(&at, a, e);
    if (r < 0)
        return r;
    if (*at != '(')
        return complain(e, "address", "'(' must follow the operation");
    at++;
    r = parse_address(&at, a, e);
    if (r == 0)
        r = parse_amount(&at, a, e);
    if (r < 0)
        return r;
    if (*at != ')')
        return complain(e, *at ? "address" : "end", "')' is missing");
    at++;
    return *at ? complain(e, "end", "something follows the ')'") : 0;
}

// The '@' of a location, or NULL: a symbol's version begins with no digit.
static char *location_in(char *symbol, const char *end)
{
    char *at = memrchr(symbol, '@', (size_t)(end - symbol));
    return at && strncmp(at + 1, "0x", 2) == 0 ? at : NULL;
}

int uc_spec_parse(char *text, struct uc_spec *spec, struct uc_spec_error *error)
{
    char *colon = strchr(text, ':');
    // The last one: a C++ operator's name may hold others.
    char *equals = strrchr(text, '=');
    if (!colon || (equals && equals < colon))
        return complain(error, "object",
                        "OBJECT: must come first (an empty OBJECT is the program)");
    if (memchr(text, '/', (size_t)(colon - text)))
        return complain(error, "object", "is a file's name, without its directory");
    // "ns::function=..." without its object would otherwise be taken for a program's ":function".
    if (colon[1] == ':' && colon > text)
        return complain(error, "object", "OBJECT: must come before the symbol");
    if (!equals)
        return complain(error, "operation", "'=' and an operation must follow the symbol");
    if (equals == colon + 1)
        return complain(error, "symbol", "is empty");
    struct uc_location location = {0};
    char *at = location_in(colon + 1, equals);
    if (at && !parse_location(at + 1, equals, &location))
        return complain(error, "location", "must be 0xVALUE+SIZE/BUILDID");
    if (equals[-1] == ')' && !strstr(colon, "(anonymous namespace)"))
        return complain(error, "symbol", "must be without its parameters, or mangled");
    struct uc_action action;
    int r = parse_action(equals + 1 + strspn(equals + 1, " \t"), &action, error);
    if (r < 0)
        return r;
    *colon = '\0';
    *equals = '\0';
    if (at)
        *at = '\0';
    *spec = (struct uc_spec){
        .object = text,
        .symbol = colon + 1,
        .location = location,
        .action_text = equals + 1,
        .action = action,
    };
    return 0;
}
