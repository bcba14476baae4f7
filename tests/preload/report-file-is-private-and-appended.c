// SPDX-License-Identifier: MIT
// claim: dumps go to the file named, appended, one after the other, readable by its owner alone;
// %p and %e are the pid and the program; no descriptor stays
// run: UNCONTEND_SIGNAL=none
#include "lib/dump.h"
#include "lib/tempdir.h"

static char said[1 << 16];

static int open_descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static int child(void)
{
    int before = open_descriptors();

    umask(0);
    raise(SIGUSR1);
    raise(SIGUSR1);
    CHECK_IS(dump_count(), 2);
    CHECK_IS(open_descriptors(), before);
    printf("%d\n", (int)getpid());
    return CHECK_PASS;
}

int main(int argc, char **argv)
{
    char setting[300], name[300];
    struct stat st;
    DIR *d;
    int files = 0;

    (void)argv;
    if (argc > 1)
        return child();
    tempdir_begin();
    check_deadline(20);
    snprintf(setting, sizeof(setting), "UNCONTEND_DUMP_FILE=%s", tempdir_path("%%e.%%p-100%%%%"));
    CHECK_IS(
        dump_again("child", (char *[]){setting, "UNCONTEND_SIGNAL=USR1", NULL}, said, sizeof(said)),
        0);
    CHECK(said[0] == '\0', "on stderr: %s", said);
    d = opendir(tempdir);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') {
            files++;
            snprintf(name, sizeof(name), "%s", e->d_name);
        }
    closedir(d);
    CHECK_IS(files, 1);
    CHECK(strncmp(name, "report-file-is-private-and-appended.", 36) == 0 && atoi(name + 36) > 1 &&
              strcmp(name + strlen(name) - 5, "-100%") == 0,
          "the file is called %s", name);
    CHECK_CALL(stat(tempdir_path("%s", name), &st));
    CHECK_IS(st.st_mode & 07777, 0600);
    CHECK_IS(dump_occurrences(tempdir_read(tempdir_path("%s", name)), DUMP_HEAD), 2);
    return CHECK_PASS;
}
