// SPDX-License-Identifier: MIT
// claim: a process-shared lock keeps out a process that does not have the preload, both ways
// matrix: locks
#include "lib/file_to_map.h"
#include "lib/locks.h"

enum { THREADS = 2 };

struct meeting {
    struct guarded it;
    int present; // processes that are ready
    long written;
};

static struct meeting *meeting;

static void *use(void *arg)
{
    uint32_t random = 2463534242u + (uint32_t)getpid() + (uint32_t)(intptr_t)arg;

    for (long i = 0; i < check_count(150000, 3000000) && !time_is_up(); i++) {
        if (next_random(&random) % 8 == 0) {
            write_by_any(&meeting->it.lock, &random);
            guarded_change(&meeting->it);
            __atomic_fetch_add(&meeting->written, 1, __ATOMIC_RELAXED);
        } else {
            read_by_any(&meeting->it.lock, &random);
            guarded_look(&meeting->it);
        }
        release(&meeting->it.lock);
    }
    return NULL;
}

static void meet(int processes)
{
    pthread_t threads[THREADS];

    __atomic_fetch_add(&meeting->present, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&meeting->present, __ATOMIC_SEQ_CST) < processes)
        sched_yield();
    for (int i = 0; i < THREADS; i++)
        threads[i] = check_thread(use, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        check_join(threads[i]);
}

static void map_meeting(int fd)
{
    meeting = mmap(NULL, sizeof(*meeting), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(meeting != MAP_FAILED, "mmap: %s", strerror(errno));
}

static bool preloaded(void)
{
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");

    CHECK(maps, "maps: %s", strerror(errno));
    while (fgets(line, sizeof(line), maps))
        found |= strstr(line, "libuncontend") != NULL;
    fclose(maps);
    return found;
}

static int preloaded_peer(void *processes)
{
    meet((int)(intptr_t)processes);
    return 0;
}

static pid_t start_plain_peer(int fd)
{
    char number[16];
    pid_t pid;

    snprintf(number, sizeof(number), "%d", fd);
    pid = CHECK_CALL(fork());
    if (pid == 0) {
        unsetenv("LD_PRELOAD");
        execl("/proc/self/exe", "peer", number, (char *)NULL);
        FAIL("exec: %s", strerror(errno));
    }
    return pid;
}

int main(int argc, char **argv)
{
    int fd;
    pid_t plain, forked;

    locks_deadline();
    if (argc > 1) {
        CHECK(!preloaded(), "the peer was to run without the preload");
        map_meeting(atoi(argv[1]));
        meet(3);
        return 0;
    }
    fd = file_to_map(0);
    CHECK_CALL(ftruncate(fd, sizeof(*meeting)));
    map_meeting(fd);
    lock_init(&meeting->it.lock, PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_PROCESS_SHARED);
    lock_warm(&meeting->it.lock);
    plain = start_plain_peer(fd);
    forked = check_child(preloaded_peer, (void *)(intptr_t)3);
    meet(3);
    CHECK_IS(check_collect(plain), 0);
    CHECK_IS(check_collect(forked), 0);
    CHECK_IS(meeting->it.first, meeting->written);
    CHECK_IS(meeting->it.second, meeting->written);
    CHECK_IS(pthread_rwlock_trywrlock(&meeting->it.lock), 0);
    return 0;
}
