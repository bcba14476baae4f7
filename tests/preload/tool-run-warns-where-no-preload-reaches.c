// SPDX-License-Identifier: MIT
// claim: a program that no preload can reach (static, another class, another libc, privileged) runs
// unchanged under `uncontend run`, which says why, as does `uncontend doctor`
// plain
#include "lib/tempdir.h"
#include "lib/tool.h"
#include <elf.h>

// A copy of /bin/true with something changed.
static char *copy(const char *name, void (*change)(char *bytes, size_t n))
{
    static char bytes[1 << 20];
    char *path = tempdir_path("%s", name);
    int from = CHECK_CALL(open("/bin/true", O_RDONLY | O_CLOEXEC));
    size_t n = check_read(from, bytes, sizeof(bytes));
    int to = CHECK_CALL(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755));

    change(bytes, n);
    check_write(to, bytes, n);
    close(from);
    close(to);
    return path;
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
    if (getuid() == 0) {
        path = copy("privileged", nothing);
        CHECK_CALL(chown(path, 12345, 0));
        CHECK_CALL(chmod(path, 04755));
        TOOL_IS(0, "gains privileges", "run", path);
        TOOL_IS(1, "", "doctor", path);
        CHECK(strstr(tool_out, "gains privileges"), "doctor: %s", tool_out);
    }
    return CHECK_PASS;
}
