// SPDX-License-Identifier: MIT
// What the preload adds to the start of a program that does nothing: starts it plain and preloaded
// in turn, and compares the medians of the times from before the start to after the end. A setting
// may be given to the preloaded one.
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

enum { ROUNDS = 1000, WARMUP = 50 };

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double run(const char *program, char *preload, char *setting)
{
    char *argv[] = {(char *)program, NULL};
    char *env[] = {preload, preload ? setting : NULL, NULL};
    pid_t pid;
    int status;
    double start = now_us();
    if (posix_spawn(&pid, program, NULL, NULL, argv, env) != 0 || waitpid(pid, &status, 0) != pid ||
        status != 0) {
        fprintf(stderr, "startup: %s does not run\n", program);
        exit(1);
    }
    return now_us() - start;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v)
{
    qsort(v, ROUNDS, sizeof *v, ascending);
    return v[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    static double plain[ROUNDS];
    static double with[ROUNDS];
    char preload[4096];
    if (argc < 2) {
        fprintf(stderr, "usage: startup LIBRARY [PROGRAM [NAME=VALUE]]\n");
        return 2;
    }
    const char *program = argc > 2 ? argv[2] : "/bin/true";
    char *setting = argc > 3 ? argv[3] : NULL;
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", argv[1]);
    for (int i = -WARMUP; i < ROUNDS; i++) {
        double a = run(program, NULL, NULL);
        double b = run(program, preload, setting);
        if (i >= 0) {
            plain[i] = a;
            with[i] = b;
        }
    }
    double a = median(plain);
    double b = median(with);
    if (setting)
        printf("%s\n    ", setting);
    printf("%s: plain %.0f us, preloaded %.0f us, added %.0f us (medians of %d)\n", program, a, b,
           b - a, ROUNDS);
    return 0;
}
