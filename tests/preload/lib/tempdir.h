// SPDX-License-Identifier: MIT
// A directory that goes away with the test that made it, whatever the test's end is, and paths in
// it. Files that a test makes there are removed; directories in it are not.
#ifndef TEMPDIR_H
#define TEMPDIR_H

#include "check.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

static char tempdir[64];

// The directory is made by a process that outlives the test proper, and is its parent: so it is
// cleaned up after a failed check, too. Returns in the child.
static inline void tempdir_begin(void)
{
    int status;
    DIR *d;
    pid_t pid;

    snprintf(tempdir, sizeof(tempdir), "/tmp/uncontend-test.XXXXXX");
    CHECK(mkdtemp(tempdir) != NULL, "mkdtemp: %s", strerror(errno));
    pid = CHECK_CALL(fork());
    if (pid == 0)
        return;
    status = check_collect(pid);
    d = opendir(tempdir);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(tempdir);
    _exit(status < 0 ? CHECK_FAILED : status);
}

// A path in it, in one of a few buffers used in turn.
__attribute__((unused, format(printf, 1, 2))) static char *tempdir_path(const char *format, ...)
{
    static char paths[8][256];
    static unsigned turn;
    char *path = paths[turn++ % 8];
    int n = snprintf(path, sizeof(paths[0]), "%s/", tempdir);
    va_list args;

    va_start(args, format);
    vsnprintf(path + n, sizeof(paths[0]) - (size_t)n, format, args);
    va_end(args);
    return path;
}

// What a file holds, NUL at the end; "" when it cannot be read.
static inline char *tempdir_read(const char *path)
{
    static char text[1 << 17];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;

    if (fd >= 0) {
        n = check_read(fd, text, sizeof(text) - 1);
        close(fd);
    }
    text[n] = '\0';
    return text;
}

#endif
