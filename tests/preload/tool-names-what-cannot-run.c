// SPDX-License-Identifier: MIT
// claim: of an empty file, a file that is no program, and a program whose interpreter cannot be
// used, `uncontend doctor` says what is wrong and ends with 1, and `uncontend run` ends as env(1)
// does; what a shell takes for a script is one
// plain
#include "lib/tempdir.h"
#include "lib/tool.h"

static char *write_program(const char *name, const char *bytes, size_t n)
{
    char *path = tempdir_path("%s", name);
    int to = CHECK_CALL(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755));

    check_write(to, bytes, n);
    close(to);
    return path;
}

// The doctor breaks lines at blanks; here one fits.
static void check(const char *path, int doctor, const char *doctor_says, int run,
                  const char *run_says)
{
    TOOL_IS(doctor, "", "doctor", path);
    CHECK(strstr(tool_out, doctor_says), "doctor should say '%s': %s", doctor_says, tool_out);
    CHECK_IS(!strstr(tool_out, "a preload reaches it"), doctor);
    TOOL_IS(run, run_says, "run", path);
}

static void check_text(const char *name, const char *text, int doctor, const char *doctor_says,
                       int run, const char *run_says)
{
    check(write_program(name, text, strlen(text)), doctor, doctor_says, run, run_says);
}

int main(void)
{
    static char bytes[1 << 20];
    char *path, *at, text[300], said[300];
    size_t n;
    int from;

    tempdir_begin();
    check_deadline(25);
    check_text("empty", "", 1, "is an empty file", 0, "is an empty file");
    check(write_program("binary", "\1\2\0\3", 4), 1, "neither a program of Linux nor a script", 127,
          "neither a program of Linux nor a script");
    check(write_program("short", "\177ELF\2", 5), 1, "neither a program of Linux nor a script", 127,
          "neither a program");

    check_text("words", "exit 7\n", 0, "a script, run by /bin/sh", 7, "");
    check_text("bare", "#!\nexit 8\n", 0, "a script, run by /bin/sh", 8, "");
    check_text("absent", "#!/no/such -x\n", 1,
               "a script for /no/such, which cannot be run: No such", 127,
               "by /no/such: No such file");
    check_text("folder", "#!/tmp\n", 1, "a script for /tmp, which cannot be run: Permission", 126,
               "by /tmp: Permission denied");
    check_text("env", "#!/usr/bin/env -S A=1 no-such-command\n", 1,
               "a script for no-such-command, which cannot be run", 127, "no-such-command");
    check_text("env-sh", "#!/usr/bin/env sh\nexit 9\n", 0, "sh\n", 9, "");
    path = tempdir_path("%s", "circle");
    snprintf(text, sizeof(text), "#!%s\n", path);
    check_text("circle", text, 1, "levels", 126, "Too many levels");

    // A program whose dynamic linker is gone.
    from = CHECK_CALL(open("/bin/true", O_RDONLY | O_CLOEXEC));
    n = check_read(from, bytes, sizeof(bytes));
    close(from);
    at = memmem(bytes, n, "/lib64/ld-linux", 15);
    CHECK(at, "/bin/true names no dynamic linker");
    memcpy(at, "/lib00", 6);
    snprintf(said, sizeof(said), "by %.100s: No such file", at);
    check(write_program("linker", bytes, n), 1, "its dynamic linker /lib00/ld-linux", 127, said);
    return CHECK_PASS;
}
