// SPDX-License-Identifier: MIT
// claim: while threads are born and die, no sum that `uncontend stat` prints goes backwards, and
// the last one is exact
// plain
// time: 60
#include "lib/dump.h"
#include "lib/tool.h"
#include <sys/random.h>

enum { ALIVE = 20 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *draw(void *unused)
{
    char byte;

    CHECK_IS(getrandom(&byte, 1, 0), 1);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

// Threads come and go until the leash is let go; then the number of their draws, and a rest.
static int target(void)
{
    struct pollfd leash = {.fd = STDIN_FILENO, .events = POLLIN};
    pthread_t threads[ALIVE];
    long drawn = 0;
    char byte;

    check_write(STDOUT_FILENO, "r", 1);
    do {
        for (int i = 0; i < ALIVE; i++)
            threads[i] = check_thread(draw, NULL);
        for (int i = 0; i < ALIVE; i++)
            check_join(threads[i]);
        drawn += ALIVE;
    } while (poll(&leash, 1, 0) == 0);
    CHECK_IS(check_read(STDIN_FILENO, &byte, 1), 1);
    check_write(atoi(getenv("BACK")), &drawn, sizeof(drawn));
    (void)check_read(STDIN_FILENO, &byte, 1);
    return CHECK_PASS;
}

int main(int argc, char **argv)
{
    uint64_t last_drawn = 0, last_locks = 0, first = 0;
    char samples[16], back_setting[32];
    long drawn = 0, count = check_count(100, 20000);
    int leash, back[2], n = 0;
    pid_t process;

    (void)argv;
    if (argc > 1)
        return target();
    check_deadline(50);
    CHECK_CALL(pipe(back));
    snprintf(back_setting, sizeof(back_setting), "BACK=%d", back[1]);
    process = tool_start("target", (char *[]){back_setting, NULL}, &leash);
    snprintf(samples, sizeof(samples), "%ld", count < 100 ? count : 100);
    for (long done = 0; done < count; done += 100, n = 0) {
        TOOL_IS(0, "", "stat", "-j", "-w", "0.01", "-n", samples, tool_number(process));
        for (const char *line = tool_out; *line; line = strchr(line, '\n') + 1, n++) {
            uint64_t now = tool_json(line, "getrandom_calls");
            uint64_t locks = tool_json(line, "lock_read_fast") + tool_json(line, "lock_read_glibc");

            first = first ? first : now;
            CHECK(now >= last_drawn && locks >= last_locks, "went from %lu and %lu to %lu and %lu",
                  last_drawn, last_locks, now, locks);
            last_drawn = now;
            last_locks = locks;
        }
        CHECK_IS(n, atoi(samples));
    }
    CHECK(last_drawn > first, "nothing happened: %lu draws", last_drawn);
    check_write(leash, "x", 1);
    CHECK_IS(check_read(back[0], &drawn, sizeof(drawn)), sizeof(drawn));
    TOOL_IS(0, "", "stat", "-j", tool_number(process));
    CHECK_IS(tool_json(tool_out, "getrandom_calls"), drawn);
    tool_end(process, leash);
    return CHECK_PASS;
}
