// SPDX-License-Identifier: MIT
// claim: random_bytes is what was handed out, by each function, quick or not, to the byte
// plain
#include "lib/draw.h"
#include "lib/tool.h"

enum { CALLS = 300 };

static long long bytes_now(void)
{
    char pid[16];

    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    TOOL_IS(0, "", "stat", "-j", pid);
    return tool_json(tool_out, "random_bytes");
}

static int preloaded(void)
{
    static const size_t sizes[] = {1, 3, 4, 16, 64, 65, 159, 160, 256, 1023, 1024, 8192, 70000};
    static uint8_t drawn[70000];
    long long want = bytes_now();

    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        CHECK_IS(getrandom(drawn, sizes[s], 0), (ssize_t)sizes[s]);
        arc4random_buf(drawn, sizes[s]);
        want += 2 * (long long)sizes[s];
        CHECK_IS(bytes_now(), want);
    }
    // Words, over several refills, and a bound for which hardly any word is drawn again.
    for (int i = 0; i < CALLS; i++) {
        (void)arc4random();
        (void)arc4random_uniform(2);
        CHECK_CALL(getentropy(drawn, 256));
    }
    CHECK_IS(bytes_now(), want + CALLS * (4 + 4 + 256));
    return CHECK_PASS;
}

int main(int argc, char **argv)
{
    static const char *const engines[] = {"vdso", "drbg"};

    if (argc > 1)
        return preloaded();
    check_deadline(25);
    CHECK_CALL(setenv("LD_PRELOAD", getenv("UC_TEST_LIB"), 1));
    for (int i = 0; i < 2; i++) {
        pid_t pid;

        CHECK_CALL(setenv("UNCONTEND_RANDOM", engines[i], 1));
        pid = CHECK_CALL(fork());
        if (pid == 0) {
            execl("/proc/self/exe", argv[0], "preloaded", NULL);
            _exit(125);
        }
        CHECK_IS(check_collect(pid), CHECK_PASS);
    }
    return CHECK_PASS;
}
