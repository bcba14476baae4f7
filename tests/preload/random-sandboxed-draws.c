// SPDX-License-Identifier: MIT
// What a privilege-separated daemon does: it shuts itself in, with next to nothing allowed, and any
// other system call is its end. Some did not draw before that.
// claim: after a sandbox that allows read, write, exit_group and getrandom, draws and locks work
// matrix: random
#include "../fault/fault.h"
#include "lib/draw.h"
#include "lib/pool.h"

enum { DRAWS = 10000 };

static struct pool *pool;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void shut_in(void)
{
    struct sock_filter code[] = {
        FAULT_LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 1, 0),
        FAULT_RETURN(SECCOMP_RET_KILL_PROCESS),
        FAULT_RETURN(SECCOMP_RET_ALLOW),
    };

    fault_install(code, sizeof(code) / sizeof(code[0]));
}

static void use_lock(void)
{
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    CHECK_IS(pthread_rwlock_trywrlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    CHECK_IS(pthread_rwlock_tryrdlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
}

// False: refused. arc4random(), which cannot fail, would open a device and end here; not asked.
static int draw_or_be_refused(unsigned i, uint8_t *to, size_t bytes)
{
    errno = 0;
    if (i % 2 && bytes <= 256 ? getentropy(to, bytes) == 0
                              : getrandom(to, bytes, 0) == (ssize_t)bytes) {
        CHECK(!draw_refusal.always, "draw %u was served without the kernel", i);
        return 1;
    }
    CHECK(draw_was_refused(), "draw %u: %s", i, strerror(errno));
    return 0;
}

static int has_key(void)
{
    const char *engine = getenv("UNCONTEND_RANDOM");

    return !draw_refusal.always && engine && strcmp(engine, "drbg") == 0;
}

static void draw_inside(int letter)
{
    int all = !draw_refusal.error || (letter == 'm' && has_key());
    uint8_t drawn[3000];

    for (unsigned i = 0; i < DRAWS; i++) {
        size_t bytes = i % 500 == 0 ? sizeof(drawn) : POOL_WINDOW + i % 50;

        if (all)
            draw((enum draw_function)(i % DRAW_FUNCTIONS), drawn, bytes);
        if ((all || draw_or_be_refused(i, drawn, bytes)) && i % 10 == 0)
            pool_add(pool, POOL_PARTY(letter, i), drawn, bytes);
        if (i % 7 == 0)
            use_lock();
    }
    // Past the point at which a generator wants a fresh seed, which may be refused: it goes on.
    for (unsigned i = 0; all && i < 1000; i++)
        draw(DRAW_GETRANDOM, drawn, sizeof(drawn));
}

static int never_drew(void *unused)
{
    (void)unused;
    shut_in();
    draw_inside('n');
    return CHECK_PASS;
}

static int drew_before(void *unused)
{
    uint8_t drawn[DRAW_TASTE];

    (void)unused;
    draw_taste(drawn);
    for (int i = 0; i < 5000; i++)
        use_lock();
    shut_in();
    draw_inside('d');
    return CHECK_PASS;
}

// All of it inside a thread that had not drawn. exit_group from there: the end of a thread makes
// system calls of libc's own.
static void *in_thread(void *unused)
{
    (void)unused;
    shut_in();
    draw_inside('t');
    _exit(CHECK_PASS);
}

static int second_thread(void *unused)
{
    check_join(check_thread(in_thread, unused));
    return CHECK_FAILED;
}

int main(void)
{
    check_deadline(25);
    pool = pool_new(1 << 20);
    CHECK_IS(check_in_child(never_drew, NULL), CHECK_PASS);
    CHECK_IS(check_in_child(drew_before, NULL), CHECK_PASS);
    CHECK_IS(check_in_child(second_thread, NULL), CHECK_PASS);
    pool_unique(pool);
    shut_in();
    draw_inside('m');
    _exit(CHECK_PASS);
}
