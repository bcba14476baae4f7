// SPDX-License-Identifier: MIT
// claim: a process that chrooted, gave up root, turned non-dumpable, closed its descriptors, whose
// library file is gone, or that lives in namespaces of its own, is still read by root
// plain
#include "lib/dump.h"
#include "lib/tempdir.h"
#include "lib/tool.h"
#include <sched.h>
#include <sys/prctl.h>

static void confine(void)
{
    CHECK_CALL(chroot("."));
    CHECK_CALL(setgid(65534));
    CHECK_CALL(setuid(65534));
    CHECK_CALL(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
}

static int target(const char *role)
{
    raise(SIGUSR1);
    if (strcmp(role, "confined") == 0) {
        CHECK_CALL(chdir(getenv("TEST_DIRECTORY")));
        confine();
        for (int fd = 2; fd < 64; fd++)
            close(fd);
    }
    if (strcmp(role, "forked") == 0) {
        // The leash is shared; the parent stays until its child has ended.
        pid_t child = CHECK_CALL(fork());
        if (child > 0)
            return check_collect(child);
        for (int i = 0; i < 3; i++)
            raise(SIGUSR1);
        int fd = atoi(getenv("BACK"));
        pid_t me = getpid();
        check_write(fd, &me, sizeof(me));
    }
    tool_wait();
    return CHECK_PASS;
}

static void copy_file(const char *from, const char *to)
{
    static char bytes[1 << 22];
    int in = CHECK_CALL(open(from, O_RDONLY | O_CLOEXEC));
    int out = CHECK_CALL(open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755));
    size_t n = check_read(in, bytes, sizeof(bytes));

    check_write(out, bytes, n);
    close(in);
    close(out);
}

static void expect_dumps(pid_t process, uint64_t dumps)
{
    TOOL_IS(0, "", "stat", "-j", tool_number(process));
    CHECK_IS(tool_json(tool_out, "dumps"), dumps);
    CHECK_IS(tool_json(tool_out, "pid"), process);
}

// A first process of new pid and mount namespaces: the number that it knows is 1.
static void in_namespaces(char *const *settings)
{
    int leash, out[2];
    pid_t process = 0, helper;

    CHECK_CALL(pipe(out));
    helper = CHECK_CALL(fork());
    if (helper == 0) {
        if (unshare(CLONE_NEWPID | CLONE_NEWNS) < 0)
            _exit(CHECK_SKIPPED);
        process = tool_start("plain", settings, &leash);
        check_write(out[1], &process, sizeof(process));
        _exit(check_collect(process)); // until it is killed
    }
    close(out[1]);
    if (check_read(out[0], &process, sizeof(process)) != sizeof(process)) {
        CHECK_IS(check_collect(helper), CHECK_SKIPPED);
        return;
    }
    expect_dumps(process, 1);
    kill(process, SIGKILL);
    CHECK_IS(check_collect(helper), 256 - SIGKILL);
}

int main(int argc, char **argv)
{
    char directory[300], back_setting[32];
    int leash, back[2];
    pid_t process, child = 0;

    if (argc > 1)
        return target(argv[1]);
    tempdir_begin();
    check_deadline(25);
    snprintf(directory, sizeof(directory), "TEST_DIRECTORY=%s", tempdir);
    char *settings[] = {directory, "UNCONTEND_DUMP_FORMAT=json", NULL};

    // A fork's child counts from zero.
    CHECK_CALL(pipe(back));
    snprintf(back_setting, sizeof(back_setting), "BACK=%d", back[1]);
    process = tool_start("forked", (char *[]){back_setting, NULL}, &leash);
    CHECK_IS(check_read(back[0], &child, sizeof(child)), sizeof(child));
    expect_dumps(process, 1);
    expect_dumps(child, 3);
    tool_end(process, leash);

    // The library's file is replaced, as by an upgrade, and has another name.
    const char *real_library = tool_from("UC_TEST_LIB");
    char *library = tempdir_path("renamed.so");
    copy_file(real_library, library);
    real_library = strdup(real_library);
    setenv("UC_TEST_LIB", library, 1);
    process = tool_start("plain", settings, &leash);
    expect_dumps(process, 1);
    CHECK_CALL(unlink(library));
    expect_dumps(process, 1);
    tool_end(process, leash);

    if (getuid() != 0)
        return CHECK_PASS; // the rest needs root
    setenv("UC_TEST_LIB", real_library, 1);
    process = tool_start("confined", settings, &leash);
    expect_dumps(process, 1);
    tool_end(process, leash);
    in_namespaces(settings);
    return CHECK_PASS;
}
