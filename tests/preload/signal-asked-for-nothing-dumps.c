// SPDX-License-Identifier: MIT
// claim: where a program said nothing about the signal, it dumps and nothing else happens: errno,
// a blocking read and the program itself go on
// run: UNCONTEND_SIGNAL=USR1
// run: UNCONTEND_SIGNAL=SIGUSR1 UNCONTEND_DUMP_FORMAT=json
// run: UNCONTEND_SIGNAL=10 UNCONTEND_DUMP_FORMAT=prometheus
#include "lib/dump.h"

static int ends[2];

// Sleeping in the read, as the kernel sees it; then the signal, then the byte.
static void *poke(void *main_thread)
{
    char path[64], state[256];
    uint64_t before = dump_count();

    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
    do {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = read(fd, state, sizeof(state) - 1);

        close(fd);
        CHECK(n > 0, "%s cannot be read", path);
        state[n] = '\0';
    } while (!strstr(state, ") S "));
    CHECK_IS(pthread_kill(*(pthread_t *)main_thread, SIGUSR1), 0);
    while (dump_count() == before)
        sched_yield();
    check_write(ends[1], "x", 1);
    return NULL;
}

int main(void)
{
    pthread_t self = pthread_self(), thread;
    struct sigaction now;
    char byte = 0;

    check_deadline(20);
    for (int i = 1; i <= 10; i++) {
        errno = EXDEV;
        CHECK_IS(raise(SIGUSR1), 0);
        CHECK_IS(errno, EXDEV);
        CHECK_IS(dump_count(), i);
    }
    CHECK_CALL(pipe(ends));
    thread = check_thread(poke, &self);
    CHECK_IS(read(ends[0], &byte, 1), 1); // not EINTR
    CHECK_IS(byte, 'x');
    check_join(thread);
    CHECK_IS(dump_count(), 11);
    CHECK_CALL(sigaction(SIGUSR1, NULL, &now));
    CHECK(now.sa_handler == SIG_DFL && now.sa_flags == 0, "a handler %p, flags %x",
          (void *)(uintptr_t)now.sa_handler, (unsigned)now.sa_flags);
    return CHECK_PASS;
}
