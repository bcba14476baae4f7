// SPDX-License-Identifier: MIT
// claim: exclusion holds when the kernel starts to refuse membarrier while the program runs
// matrix: locks
// run: UNCONTEND_LOCKS=on UNCONTEND_TEST_EAGER_BIAS=on with=false-clock
// alone
//
// As in a program that sandboxes all its threads once it has started, by instructions of its own:
// when libc's functions do it, bias ends before.
#include "lib/locks.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

enum { WRITES_BEFORE = 50, WRITES_AFTER = 400 };

static struct guarded it;
static int stop;
static long reads, written;

static long set_filter(const struct sock_fprog *program)
{
#if defined(__x86_64__)
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(SYS_seccomp), "D"(SECCOMP_SET_MODE_FILTER),
                       "S"(SECCOMP_FILTER_FLAG_TSYNC), "d"(program)
                     : "rcx", "r11", "memory");
    return result;
#else
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, program);
#endif
}

static void refuse_membarrier(int error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {LOCKS_COUNT(code), code};

    CHECK_CALL(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHECK_IS(set_filter(&program), 0);
}

static void *read_all_the_time(void *arg)
{
    uint32_t random = 88172645u;

    (void)arg;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        for (int i = 0; i < 20; i++) {
            CHECK_IS(pthread_rwlock_rdlock(&it.lock), 0);
            guarded_look(&it);
            release(&it.lock);
            think(100);
        }
        read_by_any(&it.lock, &random);
        guarded_look(&it);
        release(&it.lock);
        __atomic_fetch_add(&reads, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void write_times(long count, uint32_t *random)
{
    for (long i = 0; i < count && !time_is_up(); i++) {
        long until = __atomic_load_n(&reads, __ATOMIC_RELAXED) + 1;

        write_by_any(&it.lock, random);
        guarded_change(&it);
        release(&it.lock);
        written++;
        while (__atomic_load_n(&reads, __ATOMIC_RELAXED) < until)
            sched_yield();
    }
}

static int trial(void *error)
{
    pthread_t reader = check_thread(read_all_the_time, NULL);
    uint32_t random = 2463534242u;

    write_times(WRITES_BEFORE, &random);
    refuse_membarrier((int)(intptr_t)error);
    write_times(WRITES_AFTER, &random);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    check_join(reader);
    CHECK_IS(it.first, written);
    CHECK_IS(it.second, written);
    CHECK_IS(pthread_rwlock_trywrlock(&it.lock), 0);
    return 0;
}

int main(void)
{
    locks_deadline();
    for (int i = 0; i < 4; i++)
        CHECK_IS(check_in_child(trial, (void *)(intptr_t)(i % 2 ? EPERM : ENOSYS)), 0);
    return 0;
}
