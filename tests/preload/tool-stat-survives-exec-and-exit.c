// SPDX-License-Identifier: MIT
// claim: `uncontend stat` of a process that becomes another program all the time, or ends, prints a
// consistent picture or says what it met; never anything else
// plain
// time: 60
#include "lib/dump.h"
#include "lib/tool.h"

// One dump in each life, then the next: so "dumps" is 0 or 1, whoever is seen.
static int target(char **argv)
{
    char path[4096], byte, *turns = getenv("TURNS");
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
    struct pollfd leash = {.fd = STDIN_FILENO, .events = POLLIN};

    path[n] = '\0';
    if (!turns) {
        putenv((char[]){"TURNS=1"});
        check_write(STDOUT_FILENO, "r", 1);
    }
    raise(SIGUSR1);
    if (poll(&leash, 1, 0) == 0)
        execv(path, argv);
    (void)check_read(STDIN_FILENO, &byte, 1);
    return CHECK_PASS;
}

int main(int argc, char **argv)
{
    int leash, seen = 0, said = 0;
    long tries = check_count(100, 5000);
    pid_t process;

    if (argc > 1)
        return target(argv);
    check_deadline(50);
    process = tool_start("target", NULL, &leash);
    // How long a life is between two execs is the machine's affair: until one was seen, at least.
    for (long i = 0; i < tries || seen == 0; i++) {
        int status = TOOL("stat", "-j", "-w", "0.002", "-n", "5", tool_number(process));

        for (const char *line = tool_out; *line; line = strchr(line, '\n') + 1) {
            seen++;
            CHECK_IS(tool_json(line, "pid"), process);
            CHECK(tool_json(line, "dumps") <= 1 && tool_json(line, "getrandom_calls") == 0,
                  "garbage: %s", line);
        }
        if (status == 0 && !tool_err[0])
            continue;
        said++;
        CHECK(status == 1 && dump_occurrences(tool_err, "\n") == 1 &&
                  (strstr(tool_err, "changed while it was read") ||
                   strstr(tool_err, "is not loaded in process") ||
                   strstr(tool_err, "leaves it alone\n")),
              "status %d, said: %s", status, tool_err);
    }
    CHECK(seen > 0, "nothing was seen in %ld tries, %d times it was said why", tries, said);
    tool_end(process, leash);

    // The end of a process ends the watch, without a complaint.
    process = tool_start("target", NULL, &leash);
    pid_t watcher = CHECK_CALL(fork());
    if (watcher == 0) {
        CHECK_IS(dup2(CHECK_CALL(open("/dev/null", O_WRONLY)), STDOUT_FILENO), STDOUT_FILENO);
        tool_become((const char *const[]){"stat", "-w", "0.01", "-n", "100000",
                                          tool_number(process), NULL});
    }
    tool_end(process, leash);
    int status = check_collect(watcher);
    CHECK(status == 0 || status == 1, "the watch ended with %d", status);
    return CHECK_PASS;
}
