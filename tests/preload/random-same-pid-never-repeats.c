// SPDX-License-Identifier: MIT
// The trap for fork detection by process id: a child in a pid namespace of its own has number 1,
// and so has its child in the next namespace. No atfork handler runs for a raw clone either.
// claim: a child that has the same process id as its parent repeats nothing
// matrix: random
#include "lib/brood.h"

enum { DEPTH = 3 };

static void descend(struct pool *pool, unsigned depth, unsigned round)
{
    pid_t pid;

    brood_draw(pool, POOL_PARTY('a' + depth, round));
    if (depth + 1 == DEPTH)
        return;
    pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0) {
        alarm(10);
        CHECK_IS(getpid(), 1);
        descend(pool, depth + 1, round);
        _exit(CHECK_PASS);
    }
    CHECK(pid > 0, "clone(CLONE_NEWPID): %s", strerror(errno));
    brood_draw(pool, POOL_PARTY('A' + depth, round));
    CHECK_IS(check_collect(pid), CHECK_PASS);
}

static int may_have_namespaces(void *unused)
{
    (void)unused;
    return unshare(CLONE_NEWPID) == 0 || (unshare(CLONE_NEWUSER) == 0 && unshare(CLONE_NEWPID) == 0)
               ? CHECK_PASS
               : CHECK_SKIPPED;
}

int main(void)
{
    struct pool *pool = pool_new(1 << 18);

    check_deadline(25);
    if (check_in_child(may_have_namespaces, NULL) != CHECK_PASS)
        SKIP("pid namespaces are not allowed here");
    // Nested clones need the right in the namespace that owns them: root has it, others get it so.
    if (geteuid() != 0)
        CHECK_CALL(unshare(CLONE_NEWUSER));
    for (long i = 0; i < check_count(50, 500); i++)
        descend(pool, 0, (unsigned)i);
    pool_unique(pool);
    return CHECK_PASS;
}
