// SPDX-License-Identifier: MIT
// claim: a program that no preload can reach (static, another class, another libc, privileged by
// user, group or capabilities) runs unchanged under `uncontend run`, which says why, as does
// `uncontend doctor`; of a process counts who started it
// plain
#include "lib/tempdir.h"
#include "lib/tool.h"
#include <elf.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/xattr.h>

enum { NOBODY = 65534, OWNER = 12345 };

// A copy of a program with something changed.
static char *copy_of(const char *program, const char *name, void (*change)(char *bytes, size_t n))
{
    static char bytes[1 << 20];
    char *path = tempdir_path("%s", name);
    int from = CHECK_CALL(open(program, O_RDONLY | O_CLOEXEC));
    size_t n = check_read(from, bytes, sizeof(bytes));
    int to = CHECK_CALL(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755));

    change(bytes, n);
    check_write(to, bytes, n);
    close(from);
    close(to);
    return path;
}

static char *copy(const char *name, void (*change)(char *bytes, size_t n))
{
    return copy_of("/bin/true", name, change);
}

static void nothing(char *bytes, size_t n)
{
    (void)bytes;
    (void)n;
}

static void class_32(char *bytes, size_t n)
{
    (void)n;
    bytes[EI_CLASS] = ELFCLASS32;
}

static void other_libc(char *bytes, size_t n)
{
    char *at = memmem(bytes, n, "/lib64/ld-linux-x86-64.so.2", 27);

    CHECK(at != NULL, "/bin/true names no dynamic linker");
    memcpy(at, "/lib/ld-musl-x86_64.so.1\0\0\0", 27);
}

static void become(uid_t user)
{
    CHECK_CALL(setgroups(0, NULL));
    CHECK_CALL(setresgid(user, user, user));
    CHECK_CALL(setresuid(user, user, user));
}

// Started by somebody who gains from the file's bit, and by somebody who does not.
static void check_process(char *path, uid_t starter, int status, const char *said)
{
    int leash[2], started[2];
    pid_t pid;
    char none;

    CHECK_CALL(pipe2(leash, O_CLOEXEC));
    CHECK_CALL(pipe2(started, O_CLOEXEC));
    pid = CHECK_CALL(fork());
    if (pid == 0) {
        become(starter);
        dup2(leash[0], STDIN_FILENO);
        execl(path, path, NULL);
        _exit(CHECK_FAILED);
    }
    close(started[1]);
    CHECK_IS(read(started[0], &none, 1), 0); // closed by its exec
    close(started[0]);
    TOOL_IS(status, "", "doctor", tool_number(pid));
    CHECK(strstr(tool_out, said), "doctor of a process of %d: %s", (int)starter, tool_out);
    close(leash[0]);
    close(leash[1]);
    CHECK_IS(check_collect(pid), 0);
}

// For a user: root gains nothing by capabilities.
static int check_capabilities(void *path)
{
    static const char said[] = "gains privileges";
    // The way to the command may be closed to others.
    char *tool = strdup(tool_from("UC_TEST_TOOL"));
    char *name = strrchr(tool, '/');

    *name = '\0';
    CHECK_CALL(chdir(tool));
    CHECK_CALL(asprintf(&tool, "./%s", name + 1));
    setenv("UC_TEST_TOOL", tool, 1);
    become(NOBODY);
    TOOL_IS(1, "", "doctor", (const char *)path);
    CHECK(strstr(tool_out, said), "doctor, capabilities: %s", tool_out);
    TOOL_IS(0, said, "run", (const char *)path);
    return CHECK_PASS;
}

static void check_privileged(void)
{
    struct vfs_ns_cap_data cap = {
        .magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
        .data[0].permitted = 1 << CAP_NET_BIND_SERVICE,
    };
    char *path = copy("by-user", nothing);

    CHECK_CALL(chmod(tempdir, 0711));
    CHECK_CALL(chown(path, OWNER, 0));
    CHECK_CALL(chmod(path, 04755));
    TOOL_IS(0, "gains privileges", "run", path);
    TOOL_IS(1, "", "doctor", path);
    CHECK(strstr(tool_out, "gains privileges"), "doctor: %s", tool_out);

    path = copy("by-group", nothing);
    CHECK_CALL(chown(path, 0, OWNER));
    CHECK_CALL(chmod(path, 02755));
    TOOL_IS(0, "gains privileges", "run", path);
    TOOL_IS(1, "", "doctor", path);
    CHECK(strstr(tool_out, "gains privileges"), "doctor: %s", tool_out);

    path = copy("by-capability", nothing);
    if (setxattr(path, "security.capability", &cap, XATTR_CAPS_SZ_2, 0) == 0) {
        TOOL_IS(0, "", "run", path);
        CHECK_IS(check_in_child(check_capabilities, path), CHECK_PASS);
    }

    path = copy_of("/bin/cat", "process", nothing);
    CHECK_CALL(chown(path, OWNER, 0));
    CHECK_CALL(chmod(path, 04755));
    check_process(path, NOBODY, 1, "gains privileges");
    check_process(path, OWNER, 0, "a preload reaches it");
}

int main(void)
{
    char *path;

    tempdir_begin();
    check_deadline(25);
    if (access("/sbin/ldconfig", X_OK) == 0) {
        TOOL_IS(0, "statically linked", "run", "--", "/sbin/ldconfig", "--version");
        CHECK(strstr(tool_out, "ldconfig"), "it did not run: %s", tool_out);
        TOOL_IS(1, "", "doctor", "/sbin/ldconfig");
        CHECK(strstr(tool_out, "statically linked"), "doctor: %s", tool_out);
    }
    path = copy("class", class_32);
    TOOL_IS(1, "", "doctor", path);
    CHECK(strstr(tool_out, "another architecture"), "doctor: %s", tool_out);
    path = copy("musl", other_libc);
    TOOL_IS(1, "", "doctor", path);
    CHECK(strstr(tool_out, "another C library"), "doctor: %s", tool_out);
    CHECK(TOOL("run", path) == 127 && strstr(tool_err, "another C library"), "%s", tool_err);

    path = copy("usual", nothing);
    TOOL_IS(0, "", "run", path);
    TOOL_IS(0, "", "doctor", path);
    if (getuid() == 0)
        check_privileged();
    return CHECK_PASS;
}
