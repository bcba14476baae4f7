// SPDX-License-Identifier: MIT
// Owns the command line's first word.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"
#include "version.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments;
    const char *help;
} commands[] = {
    {"run", uc_tool_run, "[-o NAME=VALUE]... [--] COMMAND [ARG]...",
     "start COMMAND with the library loaded"},
    {"stat", uc_tool_stat, "[-j | -p] [-w SECONDS] [-n COUNT] PID",
     "show what the library does in process PID"},
    {"list", uc_tool_list, "", "list the processes that have the library loaded"},
    {"doctor", uc_tool_doctor, "[COMMAND | PID]",
     "say what would be taken over, and what stands in the way"},
    {"env", uc_tool_env, "[-a]", "print all settings with what they are here"},
};

void uc_tool_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fputs("uncontend: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

int uc_tool_misused(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("uncontend: ", stderr);
    vfprintf(stderr, format, args);
    fputs("\nTry 'uncontend --help'.\n", stderr);
    va_end(args);
    return UC_TOOL_USAGE;
}

int uc_tool_finish(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return UC_TOOL_DONE;
    uc_tool_say("cannot write the output: %s", strerror(errno));
    return UC_TOOL_FAILED;
}

int uc_tool_pid(const char *s)
{
    char *end;
    errno = 0;
    long v = strtol(s, &end, 10);
    return *s >= '0' && *s <= '9' && *end == '\0' && errno == 0 && v > 0 && v <= 1 << 30 ? (int)v
                                                                                         : 0;
}

bool uc_tool_colour(void)
{
    const char *no = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

static int help(void)
{
    puts("usage: uncontend COMMAND ...\n\n"
         "Loads a library into a program that takes its hot locks, random numbers and\n"
         "counters out of the way of its threads, and shows what it does there.\n");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        printf("  uncontend %s%s%s\n", commands[i].name, *commands[i].arguments ? " " : "",
               commands[i].arguments);
        printf("      %s\n", commands[i].help);
    }
    puts("\n  -h, --help      this text\n"
         "  -V, --version   the version\n\n"
         "Settings are environment variables, UNCONTEND_NAME=VALUE: 'uncontend env' lists\n"
         "them, libuncontend(7) explains them. NO_COLOR turns colours off.");
    return uc_tool_finish();
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return help();
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        puts("uncontend " UC_VERSION);
        return uc_tool_finish();
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(word, commands[i].name) != 0)
            continue;
        if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0)) {
            printf("usage: uncontend %s %s\n\n%s\n", word, commands[i].arguments, commands[i].help);
            return uc_tool_finish();
        }
        return commands[i].run(argc - 1, argv + 1);
    }
    if (!*word)
        return uc_tool_misused("a command is missing");
    return uc_tool_misused("no such command: %s", word);
}
