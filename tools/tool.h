// SPDX-License-Identifier: MIT
// What the parts of the command share: how it ends, how it complains, where its library is.
// Cost: nothing worth a word: each runs once.
#ifndef UC_TOOL_H
#define UC_TOOL_H

#include <stdbool.h>
#include <stddef.h>

enum uc_tool_exit {
    UC_TOOL_DONE = 0,
    UC_TOOL_FAILED = 1, // the answer is no, or cannot be had
    UC_TOOL_USAGE = 2,
    // `uncontend run` ends as the command does, so its own failures stand out, as env(1)'s do.
    UC_TOOL_RUN_FAILED = 125,
    UC_TOOL_RUN_DENIED = 126,
    UC_TOOL_RUN_ABSENT = 127,
};

// argv[0] is the subcommand's name. Each returns what the process ends with.
int uc_tool_run(int argc, char **argv);
int uc_tool_stat(int argc, char **argv);
int uc_tool_list(int argc, char **argv);
int uc_tool_doctor(int argc, char **argv);
int uc_tool_env(int argc, char **argv);

// One line on stderr.
void uc_tool_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The same for a wrong use of a subcommand, with a line on where to look. Returns UC_TOOL_USAGE.
int uc_tool_misused(const char *format, ...) __attribute__((format(printf, 1, 2)));

// UC_TOOL_DONE when all that was printed has arrived, else says why not.
int uc_tool_finish(void);

// A positive whole number, all of s; 0 if it is none.
int uc_tool_pid(const char *s);

// The library's absolute path: `wanted` if not NULL, else beside this program, as it is built or
// installed. Says what is wrong and returns false when there is none to use.
bool uc_tool_library(const char *wanted, char *path, size_t capacity);

// Stdout is a terminal that understands colour and NO_COLOR is not set.
bool uc_tool_colour(void);
#define UC_BOLD(on)   ((on) ? "\033[1m" : "")
#define UC_NORMAL(on) ((on) ? "\033[0m" : "")

#endif
