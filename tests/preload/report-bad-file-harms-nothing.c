// SPDX-License-Identifier: MIT
// claim: where the dump file cannot or must not be written, by a link, a pipe, a directory that is
// not there or no space, nothing is damaged, one message comes, and the program goes on
// run: UNCONTEND_SIGNAL=none
#include "lib/dump.h"
#include "lib/tempdir.h"
#include <sys/resource.h>

static char said[1 << 16];

static volatile sig_atomic_t calls;

static void on_signal(int number)
{
    (void)number;
    calls++;
}

// Five signals; with "small", when a file may not grow.
static int child(const char *role)
{
    check_deadline(10);
    if (strcmp(role, "small") == 0) {
        struct rlimit none = {0, 0};

        CHECK_CALL(setrlimit(RLIMIT_FSIZE, &none));
    }
    raise(SIGUSR1);
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 4; i++)
        raise(SIGUSR1);
    CHECK_IS(calls, 4);
    CHECK_IS(dump_count(), 0);
    return CHECK_PASS;
}

static void expect(const char *what, const char *role, const char *path, const char *reason)
{
    char setting[300];
    int got;

    snprintf(setting, sizeof(setting), "UNCONTEND_DUMP_FILE=%s", path);
    got = dump_again(role, (char *[]){setting, "UNCONTEND_SIGNAL=USR1", NULL}, said, sizeof(said));
    CHECK(got == 0, "%s: status %d: %s", what, got, said);
    CHECK(dump_occurrences(said, "\n") == 1 && strncmp(said, "uncontend: ", 11) == 0 &&
              strstr(said, path) && strstr(said, reason),
          "%s: expected one line with '%s', got: %s", what, reason, said);
}

int main(int argc, char **argv)
{
    static const char precious[] = "precious\n";
    char *target, *link;
    int fd;

    if (argc > 1)
        return child(argv[1]);
    tempdir_begin();
    check_deadline(25);
    target = tempdir_path("precious");
    fd = CHECK_CALL(open(target, O_WRONLY | O_CREAT, 0600));
    check_write(fd, precious, strlen(precious));
    close(fd);

    link = tempdir_path("symbolic");
    CHECK_CALL(symlink(target, link));
    expect("a planted symbolic link", "usual", link, "symbolic link");
    CHECK_CALL(symlink(tempdir_path("nothing-there"), tempdir_path("dangling")));
    expect("a dangling symbolic link", "usual", tempdir_path("dangling"), "symbolic link");
    CHECK_CALL(linkat(AT_FDCWD, target, AT_FDCWD, tempdir_path("hard"), 0));
    expect("a planted hard link", "usual", tempdir_path("hard"), "another name");
    CHECK(strcmp(tempdir_read(target), precious) == 0, "the link's target now holds: %s",
          tempdir_read(target));
    CHECK(access(tempdir_path("nothing-there"), F_OK) < 0, "the dangling link's target was made");

    CHECK_CALL(mkfifo(tempdir_path("pipe"), 0600));
    expect("a pipe without a reader", "usual", tempdir_path("pipe"), "not a regular file");
    fd = CHECK_CALL(open(tempdir_path("pipe"), O_RDWR | O_CLOEXEC));
    expect("a pipe with a reader", "usual", tempdir_path("pipe"), "not a regular file");
    close(fd);

    expect("a directory that is not there", "usual", tempdir_path("gone/dump"),
           "no such directory");
    expect("a directory", "usual", tempdir, "directory");
    expect("a full device", "usual", "/dev/full", "not a regular file");
    expect("a name with an unknown %", "usual", tempdir_path("%%x"), "bad name");
    expect("a file that may not grow", "small", tempdir_path("small"), "too large");
    return CHECK_PASS;
}
