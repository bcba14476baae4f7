// SPDX-License-Identifier: MIT
// A server in the old manner: it draws a little, forks its workers, and each connection gets a
// session id of 16 random bytes from whichever worker takes it: server PORT WORKERS. SIGTERM ends
// it, and the workers with it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ID_BYTES = 16, MOST_WORKERS = 16 };

static int draw_id(char text[2 * ID_BYTES + 1])
{
    unsigned char bytes[ID_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return -1;
    for (int i = 0; i < ID_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

static void serve(int listener)
{
    for (;;) {
        char id[2 * ID_BYTES + 1];
        int connection = accept(listener, NULL, NULL);
        if (connection < 0)
            continue;
        if (draw_id(id) == 0)
            dprintf(connection, "%d %s\n", (int)getpid(), id);
        close(connection);
    }
}

static int listen_on(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(listener, 128) < 0) {
        perror("server");
        exit(1);
    }
    return listener;
}

int main(int argc, char **argv)
{
    int workers = argc > 2 ? atoi(argv[2]) : 0;
    char id[2 * ID_BYTES + 1];
    if (workers < 1 || workers > MOST_WORKERS) {
        fprintf(stderr, "usage: server PORT WORKERS\n");
        return 2;
    }
    int listener = listen_on(atoi(argv[1]));
    // What is in a generator's buffer now is what all workers would give out, if fork copied it.
    if (draw_id(id) < 0)
        return 1;
    printf("%d %s\n", (int)getpid(), id);
    fflush(stdout);
    for (int i = 0; i < workers; i++) {
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            serve(listener);
        }
    }
    close(listener);
    while (wait(NULL) > 0)
        ;
    return 0;
}
