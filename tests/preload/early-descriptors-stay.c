// SPDX-License-Identifier: MIT
// A daemon closes all descriptors, or is started without 0, 1 and 2; socket activation counts them.
// claim: a program that draws and locks has the same open files with the preload as without
// plain
#include "lib/draw.h"
#include "lib/plain.h"
#include <fcntl.h>

enum { REPORT = 100, ROOM = 8192, NUMBERS = 200 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *use(void *unused)
{
    uint8_t drawn[DRAW_TASTE];

    draw_taste(drawn);
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    return unused;
}

// Numbers and what they lead to; of pipes only that they are pipes, since each run has its own.
static void report(const char *when)
{
    dprintf(REPORT, "%s:", when);
    for (int fd = 0; fd < NUMBERS; fd++) {
        char path[40], target[256];
        ssize_t length;

        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        length = readlink(path, target, sizeof(target) - 1);
        if (length < 0)
            continue;
        target[length] = 0;
        target[strcspn(target, "[")] = 0;
        dprintf(REPORT, " %d=%s", fd, target);
    }
    dprintf(REPORT, "\n");
}

// The program that is looked at. What a daemon opens next gets the lowest number that is free.
static int look(void)
{
    report("start");
    use(NULL);
    check_join(check_thread(use, NULL));
    report("used");
    for (int fd = 0; fd < NUMBERS; fd++)
        if (fd != REPORT)
            close(fd);
    use(NULL);
    check_join(check_thread(use, NULL));
    dprintf(REPORT, "next %d\n", open("/dev/null", O_RDONLY));
    report("closed");
    return CHECK_PASS;
}

// Its report, when started without the standard descriptors that are set in `closed`.
static void start(char *self, const char *library, unsigned closed, char text[ROOM])
{
    char *const argv[] = {self, "look", NULL};
    int ends[2];
    size_t length;
    pid_t pid;

    CHECK_CALL(pipe2(ends, O_CLOEXEC));
    pid = CHECK_CALL(fork());
    if (pid == 0) {
        CHECK_CALL(dup2(ends[1], REPORT));
        for (int fd = 0; fd < 3; fd++)
            if (closed >> fd & 1)
                close(fd);
        plain_exec(library, argv);
    }
    CHECK_CALL(close(ends[1]));
    length = check_read(ends[0], text, ROOM - 1);
    text[length] = 0;
    CHECK_CALL(close(ends[0]));
    CHECK_IS(check_collect(pid), CHECK_PASS);
}

int main(int argc, char **argv)
{
    static char plain[ROOM], preloaded[ROOM];
    const char *library;

    if (argc > 1)
        return look();
    library = plain_library();
    check_deadline(25);
    for (unsigned closed = 0; closed < 8; closed++) {
        start(argv[0], NULL, closed, plain);
        start(argv[0], library, closed, preloaded);
        CHECK(strstr(plain, "closed:"), "the report ends early:\n%s", plain);
        CHECK(strcmp(plain, preloaded) == 0, "started without %#x, plain:\n%spreloaded:\n%s",
              closed, plain, preloaded);
    }
    return CHECK_PASS;
}
