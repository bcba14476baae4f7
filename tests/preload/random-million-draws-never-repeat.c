// SPDX-License-Identifier: MIT
// Four threads draw 16 bytes at a time and fork on the way; each child draws beside its parent,
// from whatever state it inherited. All of it is kept whole and sorted, so that one repeat is found
// and chance makes none: 10^8 values coincide once in 7 * 10^22 runs. One repeat is planted, and
// has to be the only one, which shows that the search finds it and that every value was written.
// claim: no 16 bytes drawn by four threads and their forked children come twice
// run: UNCONTEND_RANDOM=drbg
// run: UNCONTEND_RANDOM=vdso
// time: 60
#include "lib/draw.h"

enum { THREADS = 4, BATCH = 5000 };

struct value {
    uint8_t bytes[16];
};

static struct value *values;
static long rounds; // of each thread: a batch of a child's and one of its own

static void *forker(void *arg)
{
    struct value *at = arg;

    for (long i = 0; i < rounds; i++) {
        enum draw_function function = (enum draw_function)(i % DRAW_FUNCTIONS);
        pid_t pid = CHECK_CALL(fork());

        if (pid == 0)
            alarm(60);
        else
            at += BATCH;
        for (long j = 0; j < BATCH; j++)
            draw(function, at + j, sizeof(*at));
        if (pid == 0)
            _exit(CHECK_PASS);
        at += BATCH;
        CHECK_IS(check_collect(pid), CHECK_PASS);
    }
    return NULL;
}

static int order(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(struct value));
}

// In place, by the bytes from that depth on: 10^8 values are too many for a copy, which qsort()
// makes.
static void sort(struct value *at, size_t n, unsigned depth)
{
    size_t next[256], end[256], count[256] = {0};

    if (n < 64 || depth == sizeof(at->bytes)) {
        qsort(at, n, sizeof(*at), order);
        return;
    }
    for (size_t i = 0; i < n; i++)
        count[at[i].bytes[depth]]++;
    for (size_t key = 0, sum = 0; key < 256; key++) {
        next[key] = sum;
        end[key] = sum += count[key];
    }
    for (size_t key = 0; key < 256; key++)
        while (next[key] < end[key]) {
            struct value *here = &at[next[key]], moved = *here;
            uint8_t home = moved.bytes[depth];

            *here = at[next[home]];
            at[next[home]++] = moved;
        }
    for (size_t key = 0; key < 256; key++)
        sort(at + end[key] - count[key], count[key], depth + 1);
}

int main(void)
{
    pthread_t threads[THREADS];
    size_t drawn, repeats = 0;

    check_deadline(50);
    rounds = check_count(100, 2500);
    drawn = (size_t)rounds * 2 * BATCH * THREADS;
    values = check_shared((drawn + 1) * sizeof(*values));
    for (size_t i = 0; i < THREADS; i++)
        threads[i] = check_thread(forker, values + drawn / THREADS * i);
    for (int i = 0; i < THREADS; i++)
        check_join(threads[i]);
    values[drawn] = values[drawn / 3];
    sort(values, drawn + 1, 0);
    for (size_t i = 0; i < drawn; i++)
        repeats += order(&values[i], &values[i + 1]) == 0;
    CHECK(repeats > 0, "the planted repeat was not found");
    CHECK(repeats == 1, "%zu of %zu values came twice", repeats - 1, drawn);
    return CHECK_PASS;
}
