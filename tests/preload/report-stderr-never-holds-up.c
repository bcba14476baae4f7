// SPDX-License-Identifier: MIT
// claim: a dump to a stderr that nobody reads, whose reader is gone, or that is another file by
// now, neither hangs nor ends the program, nor writes into the other file
// run: UNCONTEND_SIGNAL=none
#include "lib/dump.h"
#include "lib/tempdir.h"

static int child(const char *role)
{
    check_deadline(10);
    if (strcmp(role, "recycled") == 0) {
        CHECK_CALL(close(STDERR_FILENO));
        CHECK_IS(open("data", O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    }
    for (int i = 0; i < 3; i++)
        raise(SIGUSR1);
    return 66;
}

static void start(const char *role, int error_fd, char *setting)
{
    pid_t pid = CHECK_CALL(fork());

    if (pid == 0) {
        putenv((char[]){"UNCONTEND_SIGNAL=USR1"});
        if (setting)
            putenv(setting);
        if (error_fd < 0)
            close(STDERR_FILENO);
        else
            dup2(error_fd, STDERR_FILENO);
        execl("/proc/self/exe", program_invocation_name, role, NULL);
        _exit(126);
    }
    CHECK_IS(check_collect(pid), 66);
}

int main(int argc, char **argv)
{
    char byte[4096] = "";
    int ends[2], fd;

    if (argc > 1)
        return child(argv[1]);
    tempdir_begin();
    check_deadline(25);
    CHECK_CALL(chdir(tempdir));

    CHECK_CALL(pipe2(ends, O_CLOEXEC));
    CHECK_CALL(fcntl(ends[1], F_SETFL, O_NONBLOCK));
    while (write(ends[1], byte, sizeof(byte)) > 0)
        ;
    CHECK_CALL(fcntl(ends[1], F_SETFL, 0));
    start("full", ends[1], NULL);
    start("full, and no file either", ends[1], "UNCONTEND_DUMP_FILE=/no/such/directory/dump");
    close(ends[0]);
    start("broken", ends[1], NULL);
    start("broken, and no file either", ends[1], "UNCONTEND_DUMP_FILE=/no/such/directory/dump");
    close(ends[1]);

    start("closed", -1, NULL);

    fd = CHECK_CALL(open("first", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    start("recycled", fd, NULL);
    CHECK(tempdir_read("data")[0] == '\0', "a dump was written into the program's own file: %s",
          tempdir_read("data"));
    start("usual", fd, NULL);
    CHECK_IS(dump_occurrences(tempdir_read("first"), DUMP_HEAD), 3);
    return CHECK_PASS;
}
