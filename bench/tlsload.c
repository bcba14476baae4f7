// SPDX-License-Identifier: MIT
// Load generator for TLS servers on this machine: opens one connection after the other, resumes
// the session of an earlier one, asks for one small page, and counts what came of it. One thread
// and non-blocking sockets, so that the server and not the client is what is measured. It talks
// to loopback addresses only, and every run ends: by time, by count, or because the server went.
// link: -lssl -lcrypto

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_CONNECTIONS = 1024,
    MAX_SECONDS = 600,
    MAX_FAILURES_IN_A_ROW = 100,
    DEFAULT_CONNECTIONS = 16,
    DEFAULT_SECONDS = 3,
    DEFAULT_PATIENCE = 5,
    EXIT_USAGE = 2,
};

enum state { IDLE, CONNECTING, SHAKING, ASKING, READING };

// What became of one attempt to get on with a connection.
enum outcome { WAITING, FINISHED, FAILED };

struct connection {
    SSL *ssl;
    SSL_SESSION *session; // what the next handshake resumes; the newest one that came
    int fd;
    enum state state;
    bool resumed;
    size_t answered;
    double deadline;
    char answer[16];
};

struct load {
    SSL_CTX *context;
    struct sockaddr_storage address;
    socklen_t address_length;
    int epoll_fd;
    int version;
    int connections;
    double seconds;  // start no connection after that long, 0: no limit but MAX_SECONDS
    uint64_t count;  // start no more than these, 0: no limit
    double patience; // a connection that took longer than that many seconds has failed
    bool json;

    uint64_t started, resumed, full, failed;
    int failures_in_a_row;
    int active;
    double end;
    char first_failure[160];
};

static const char answer_wanted[] = "HTTP/1.1 200";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((format(printf, 2, 3))) static enum outcome fail(struct load *load,
                                                               const char *format, ...)
{
    if (!load->first_failure[0]) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(load->first_failure, sizeof load->first_failure, format, arguments);
        va_end(arguments);
    }
    return FAILED;
}

// In TLS 1.3 the tickets come after the handshake, one or two of them, and each is an own session.
static int keep_session(SSL *ssl, SSL_SESSION *session)
{
    struct connection *c = SSL_get_app_data(ssl);
    SSL_SESSION_free(c->session);
    c->session = session;
    return 1;
}

static void hang_up(struct connection *c)
{
    if (c->ssl) {
        // Without this libssl holds an unfinished connection against the session it resumed.
        SSL_set_shutdown(c->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
        SSL_free(c->ssl);
    }
    c->ssl = NULL;
    if (c->fd >= 0) {
        // The server has closed its end already. A reset leaves no port in TIME_WAIT on either
        // side; without it some ten thousand connections a second soon run out of ports.
        struct linger reset = {.l_onoff = 1, .l_linger = 0};
        setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(c->fd);
    }
    c->fd = -1;
    c->state = IDLE;
}

static enum outcome start(struct load *load, struct connection *c)
{
    c->deadline = now() + load->patience;
    c->answered = 0;
    c->resumed = false;
    c->state = CONNECTING;
    c->fd = socket(load->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0) {
        return fail(load, "socket: %s", strerror(errno));
    }
    int on = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);

    c->ssl = SSL_new(load->context);
    if (!c->ssl || SSL_set_fd(c->ssl, c->fd) != 1) {
        return fail(load, "out of memory");
    }
    SSL_set_app_data(c->ssl, c);
    SSL_set_connect_state(c->ssl);
    if (c->session && SSL_set_session(c->ssl, c->session) != 1) {
        return fail(load, "the session cannot be used");
    }
    if (connect(c->fd, (struct sockaddr *)&load->address, load->address_length) != 0 &&
        errno != EINPROGRESS) {
        return fail(load, "connect: %s", strerror(errno));
    }
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = c};
    if (epoll_ctl(load->epoll_fd, EPOLL_CTL_ADD, c->fd, &event) != 0) {
        return fail(load, "epoll_ctl: %s", strerror(errno));
    }
    return WAITING;
}

static enum outcome tls_error(struct load *load, struct connection *c, int rc, const char *what)
{
    int saved = errno;
    switch (SSL_get_error(c->ssl, rc)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return WAITING;
    case SSL_ERROR_ZERO_RETURN:
        return fail(load, "%s: closed by the server", what);
    case SSL_ERROR_SYSCALL:
        return fail(load, "%s: %s", what, saved ? strerror(saved) : "end of file");
    default:
        return fail(load, "%s: %s", what, ERR_reason_error_string(ERR_peek_error()));
    }
}

static enum outcome finish_answer(struct load *load, struct connection *c)
{
    size_t wanted = sizeof answer_wanted - 1;
    if (c->answered < wanted || memcmp(c->answer, answer_wanted, wanted) != 0) {
        return fail(load, "the answer is not '%s', it starts '%.*s'", answer_wanted,
                    (int)c->answered, c->answer);
    }
    return FINISHED;
}

static enum outcome read_answer(struct load *load, struct connection *c)
{
    for (;;) {
        char buffer[4096];
        int got = SSL_read(c->ssl, buffer, sizeof buffer);
        if (got <= 0) {
            if (SSL_get_error(c->ssl, got) == SSL_ERROR_ZERO_RETURN) {
                return finish_answer(load, c);
            }
            return tls_error(load, c, got, "read");
        }
        size_t room = sizeof c->answer - c->answered;
        size_t take = (size_t)got < room ? (size_t)got : room;
        memcpy(c->answer + c->answered, buffer, take);
        c->answered += take;
    }
}

static enum outcome advance(struct load *load, struct connection *c)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    int rc;

    ERR_clear_error();
    errno = 0;
    switch (c->state) {
    case CONNECTING: {
        int error = 0;
        socklen_t length = sizeof error;
        if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error) {
            return fail(load, "connect: %s", strerror(error ? error : errno));
        }
        c->state = SHAKING;
    }
        __attribute__((fallthrough));
    case SHAKING:
        rc = SSL_do_handshake(c->ssl);
        if (rc != 1) {
            return tls_error(load, c, rc, "handshake");
        }
        c->resumed = SSL_session_reused(c->ssl);
        c->state = ASKING;
        __attribute__((fallthrough));
    case ASKING:
        rc = SSL_write(c->ssl, request, sizeof request - 1);
        if (rc <= 0) {
            return tls_error(load, c, rc, "write");
        }
        c->state = READING;
        __attribute__((fallthrough));
    case READING:
        return read_answer(load, c);
    default:
        return WAITING;
    }
}

static bool may_start(const struct load *load)
{
    return load->failures_in_a_row < MAX_FAILURES_IN_A_ROW && now() < load->end &&
           (!load->count || load->started < load->count);
}

// Books the outcome and, as long as the run lasts, starts the next connection in its place.
static void settle(struct load *load, struct connection *c, enum outcome outcome)
{
    while (outcome != WAITING) {
        if (outcome == FAILED) {
            load->failed++;
            load->failures_in_a_row++;
        } else {
            load->failures_in_a_row = 0;
            *(c->resumed ? &load->resumed : &load->full) += 1;
        }
        hang_up(c);
        if (!may_start(load)) {
            load->active--;
            return;
        }
        load->started++;
        outcome = start(load, c);
    }
}

static void give_up_on_stalled(struct load *load, struct connection *all, int count)
{
    double time = now();
    for (int i = 0; i < count; i++) {
        if (all[i].state != IDLE && time > all[i].deadline) {
            settle(load, &all[i], fail(load, "no answer for %g s", load->patience));
        }
    }
}

static int run(struct load *load, struct connection *all, int count)
{
    double next_look = now() + 1;
    load->active = 0;
    for (int i = 0; i < count && may_start(load); i++) {
        load->active++;
        load->started++;
        settle(load, &all[i], start(load, &all[i]));
    }
    while (load->active > 0) {
        struct epoll_event events[64];
        int ready = epoll_wait(load->epoll_fd, events, 64, 250);
        if (ready < 0 && errno != EINTR) {
            return -errno;
        }
        for (int i = 0; i < ready; i++) {
            struct connection *c = events[i].data.ptr;
            settle(load, c, advance(load, c));
        }
        if (now() > next_look) {
            give_up_on_stalled(load, all, count);
            next_look = now() + 1;
        }
    }
    return 0;
}

// The one full handshake that gives everybody a session to resume. Not part of the figures.
static int get_first_session(struct load *load, struct connection *first)
{
    struct load once = *load;
    once.count = 1;
    once.end = now() + load->patience;
    int rc = run(&once, first, 1);
    if (rc == 0 && once.failed) {
        fprintf(stderr, "tlsload: the first connection failed: %s\n", once.first_failure);
        return -EIO;
    }
    if (rc == 0 && !first->session) {
        fprintf(stderr, "tlsload: the server gave no session to resume\n");
        return -EPROTO;
    }
    return rc;
}

static int measure(struct load *load, double *elapsed)
{
    struct connection *all = calloc((size_t)load->connections, sizeof *all);
    if (!all) {
        return -ENOMEM;
    }
    for (int i = 0; i < load->connections; i++) {
        all[i].fd = -1;
    }
    int rc = get_first_session(load, &all[0]);
    if (rc == 0) {
        for (int i = 1; i < load->connections; i++) {
            // A copy each: libssl declares a session dead as soon as a newer ticket replaces it.
            all[i].session = SSL_SESSION_dup(all[0].session);
        }
        double begin = now();
        load->end = begin + (load->seconds > 0 ? load->seconds : MAX_SECONDS);
        rc = run(load, all, load->connections);
        *elapsed = now() - begin;
    }
    for (int i = 0; i < load->connections; i++) {
        hang_up(&all[i]);
        SSL_SESSION_free(all[i].session);
    }
    free(all);
    return rc;
}

static int prepare(struct load *load)
{
    load->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    load->context = SSL_CTX_new(TLS_client_method());
    if (load->epoll_fd < 0 || !load->context) {
        return -ENOMEM;
    }
    SSL_CTX *context = load->context;
    SSL_CTX_set_min_proto_version(context, load->version);
    SSL_CTX_set_max_proto_version(context, load->version);
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
    SSL_CTX_set_session_cache_mode(context,
                                   SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
    SSL_CTX_sess_set_new_cb(context, keep_session);
    return 0;
}

static int parse_address(struct load *load, const char *host, const char *port_text)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)&load->address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&load->address;
    char *rest;
    unsigned long port = strtoul(port_text, &rest, 10);

    if (*rest || rest == port_text || port < 1 || port > UINT16_MAX) {
        fprintf(stderr, "tlsload: '%s' is no port\n", port_text);
        return -EINVAL;
    }
    if (strcmp(host, "localhost") == 0) {
        host = "127.0.0.1";
    }
    if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        load->address_length = sizeof *v4;
        if (ntohl(v4->sin_addr.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET) {
            return 0;
        }
    } else if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        load->address_length = sizeof *v6;
        if (IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr)) {
            return 0;
        }
    }
    fprintf(stderr, "tlsload: '%s' is no loopback address; it talks to this machine only\n", host);
    return -EINVAL;
}

static bool parse_number(const char *text, double least, double most, double *value)
{
    char *rest;
    *value = strtod(text, &rest);
    if (*text && !*rest && *value >= least && *value <= most) {
        return true;
    }
    fprintf(stderr, "tlsload: '%s' is not a number from %.10g to %.10g\n", text, least, most);
    return false;
}

static int parse_arguments(struct load *load, int argc, char **argv)
{
    double value;
    int option;
    while ((option = getopt(argc, argv, "23c:t:n:w:j")) != -1) {
        switch (option) {
        case '2':
            load->version = TLS1_2_VERSION;
            break;
        case '3':
            load->version = TLS1_3_VERSION;
            break;
        case 'j':
            load->json = true;
            break;
        case 'c':
            if (!parse_number(optarg, 1, MAX_CONNECTIONS, &value)) {
                return -EINVAL;
            }
            load->connections = (int)value;
            break;
        case 't':
        case 'w':
            if (!parse_number(optarg, 0.01, MAX_SECONDS,
                              option == 't' ? &load->seconds : &load->patience)) {
                return -EINVAL;
            }
            break;
        case 'n':
            if (!parse_number(optarg, 1, INT_MAX, &value)) {
                return -EINVAL;
            }
            load->count = (uint64_t)value;
            break;
        default:
            return -EINVAL;
        }
    }
    if (argc - optind != 2) {
        return -EINVAL;
    }
    if (!load->count && load->seconds <= 0) {
        load->seconds = DEFAULT_SECONDS;
    }
    return parse_address(load, argv[optind], argv[optind + 1]);
}

static void print_usage(void)
{
    fprintf(stderr,
            "usage: tlsload [-2|-3] [-c CONNECTIONS] [-t SECONDS] [-n COUNT] [-w SECONDS] [-j] "
            "HOST PORT\n"
            "  -2, -3  TLS 1.2 or 1.3 (1.3)    -c  connections at a time (%d, at most %d)\n"
            "  -t      start none after this time (%d s unless -n is given, at most %d)\n"
            "  -n      start no more than this many                -j  print JSON\n"
            "  -w      one that takes longer has failed (%d s)\n"
            "One full handshake comes first and is not counted. Status 0: no connection failed.\n",
            DEFAULT_CONNECTIONS, MAX_CONNECTIONS, DEFAULT_SECONDS, MAX_SECONDS, DEFAULT_PATIENCE);
}

int main(int argc, char **argv)
{
    struct load load = {.version = TLS1_3_VERSION,
                        .connections = DEFAULT_CONNECTIONS,
                        .patience = DEFAULT_PATIENCE};
    double elapsed = 0;

    if (parse_arguments(&load, argc, argv) != 0) {
        print_usage();
        return EXIT_USAGE;
    }
    signal(SIGPIPE, SIG_IGN);
    int rc = prepare(&load);
    if (rc == 0) {
        rc = measure(&load, &elapsed);
    }
    if (rc != 0) {
        fprintf(stderr, "tlsload: gave up: %s\n", strerror(-rc));
        return EXIT_FAILURE;
    }
    if (load.failed) {
        fprintf(stderr, "tlsload: the first failure: %s\n", load.first_failure);
    }
    printf(load.json ? "{\"handshakes\": %llu, \"resumed\": %llu, \"full\": %llu, "
                       "\"failed\": %llu, \"seconds\": %.6f}\n"
                     : "handshakes=%llu resumed=%llu full=%llu failed=%llu seconds=%.6f\n",
           (unsigned long long)(load.resumed + load.full), (unsigned long long)load.resumed,
           (unsigned long long)load.full, (unsigned long long)load.failed, elapsed);
    SSL_CTX_free(load.context);
    close(load.epoll_fd);
    return load.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
