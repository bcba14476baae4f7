// SPDX-License-Identifier: MIT
// Owns `uncontend env`: the settings as they are here, in a form that a shell and systemd's
// EnvironmentFile= read back.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "settings.h"
#include "tool.h"

static bool is_for_tests(const struct uc_option_row *row)
{
    return strncmp(row->name, "TEST_", 5) == 0;
}

static void print_range(const struct uc_option_row *row)
{
    if (row->kind == UC_KIND_CHOICE)
        printf(" (%s)", row->choices);
    else if (row->kind == UC_KIND_SIZE)
        printf(" (%lu to %lu, default %lu; K, M, G allowed)", row->least, row->most, row->initial);
}

// In single quotes where a shell would take a character for its own.
static void print_value(const char *s)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_-+./:,%@=";
    if (strspn(s, safe) == strlen(s)) {
        puts(s);
        return;
    }
    putchar('\'');
    for (; *s; s++) {
        if (*s == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*s);
    }
    puts("'");
}

int uc_tool_env(int argc, char **argv)
{
    static struct uc_options o;
    char buffer[8192];
    struct uc_text complaints = UC_TEXT(buffer);
    bool all = argc == 2 && strcmp(argv[1], "-a") == 0;
    if (argc > 1 && !all)
        return uc_tool_misused("env: %s is not an option", argv[1]);
    int bad = uc_settings_read(&o, &complaints);
    for (size_t i = 0; i < uc_option_count; i++) {
        const struct uc_option_row *row = &uc_option_rows[i];
        char bytes[4096];
        struct uc_text value = UC_TEXT(bytes);
        if (is_for_tests(row) && !all)
            continue;
        uc_options_show(&o, row, &value);
        printf("# %s", row->help);
        print_range(row);
        printf("\nUNCONTEND_%s=", row->name);
        print_value(value.length ? bytes : "");
    }
    fflush(stdout);
    if (bad)
        fputs(buffer, stderr);
    int r = uc_tool_finish();
    return r == UC_TOOL_DONE && bad ? UC_TOOL_FAILED : r;
}
