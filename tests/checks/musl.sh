#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: a program of another C library that inherits LD_PRELOAD runs as without it, silently, and
# `uncontend run` and `doctor` say that nothing happens there. With a build for musl the answers are
# musl's, it is at work, and the command reads it; a glibc program that inherits that one is left as
# it was. A choice of tests/preload passes there (tests/builds/run).
# time: 400
# shellcheck disable=SC2015,SC2154 # fail does not come back; coproc assigns
set -u
build=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")/../.." || exit 1
type -P musl-gcc >/dev/null || { echo "no musl-gcc" >&2; exit 1; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/uncontend.XXXXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*" >&2; exit 1; }

# What getrandom and getentropy answer to everything odd; a child's draw; no error left behind.
cat >"$dir/program.c" <<'END'
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile sig_atomic_t came;

static void ask(size_t size, unsigned flags)
{
    static char buffer[70000];
    errno = 4711;
    long drawn = getrandom(size == 1 ? NULL : buffer, size, flags);
    int error = errno;
    errno = 4711;
    int entropy = getentropy(buffer, size);
    printf("%zu %x: %ld %d, %d %d\n", size, flags, drawn, error, entropy, errno);
}

static void ask_all(void)
{
    static const size_t sizes[] = {0, 1, 16, 256, 257, 4096, 70000};
    static const unsigned flags[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 0x80000000};
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (unsigned j = 0; j < sizeof(flags) / sizeof(flags[0]); j++)
            ask(sizes[i], flags[j]);
}

static void handler(int number)
{
    came = number;
}

static void *use(void *unused)
{
    char drawn[64];

    for (int i = 0; i < 5000; i++) {
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_unlock(&lock);
    }
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return getrandom(drawn, sizeof(drawn), 0) == sizeof(drawn) && getentropy(drawn, 16) == 0 ? use : unused;
}

int main(void)
{
    pthread_t thread;
    void *result;
    int status;
    const char *error = dlerror();

    printf("error %s\n", error ? error : "none");
    ask_all();
    fflush(stdout);
    pid_t pid = fork();

    if (pid == 0)
        _exit(use(NULL) ? 7 : 1);
    waitpid(pid, &status, 0);
    pthread_create(&thread, NULL, use, NULL);
    pthread_join(thread, &result);
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    printf("child %d, thread %d, signal %d\n", WEXITSTATUS(status), result != NULL, came);
    return 3;
}
END
musl-gcc -O2 -o "$dir/program" "$dir/program.c" || fail "musl-gcc does not work"

preload=$build/libuncontend.so:$build/libuncontend-rand.so
plain=$("$dir/program" 2>&1)
[ $? = 3 ] && [ "${plain##*$'\n'}" = "child 7, thread 1, signal 10" ] || fail "plain: $plain"
said=$(LD_PRELOAD=$preload UNCONTEND_RAND_BYTES=on UNCONTEND_SYSCALL=on UNCONTEND_DUMP_AT_EXIT=on "$dir/program" 2>&1)
status=$?
[ $status = 3 ] && [ "$said" = "$plain" ] || fail "preloaded, status $status: $said"
said=$("$build/uncontend" run -- "$dir/program" 2>&1)
[ $? = 3 ] && grep -q 'another C library' <<<"$said" && grep -qx "${plain##*$'\n'}" <<<"$said" || fail "uncontend run: $said"
"$build/uncontend" doctor "$dir/program" | grep -q 'another C library' || fail "doctor says nothing of it"

# The build for musl, in both kinds of program.
make -s -j2 CC=musl-gcc B="$build/builds/musl" all || fail "no build for musl"
preload=$build/builds/musl/libuncontend.so:$build/builds/musl/libuncontend-rand.so
for random in vdso drbg system; do
    said=$(LD_PRELOAD=$preload UNCONTEND_SIGNAL=none UNCONTEND_RAND_BYTES=on UNCONTEND_RANDOM=$random "$dir/program" 2>&1)
    status=$?
    [ $status = 3 ] && [ "$said" = "$plain" ] ||
        fail "for musl, $random, status $status: $(diff <(echo "$plain") <(echo "$said"))"
done
said=$(LD_PRELOAD=$preload UNCONTEND_RANDOM=drbg UNCONTEND_DUMP_AT_EXIT=on "$dir/program" 2>&1 >"$dir/out")
for line in 'random *drbg' 'locks *on' 'counters *off: taken over under glibc alone' \
    'getrandom_calls *7[0-9]' 'lock_read_fast *[1-9][0-9]*'; do
    grep -qx "$line" <<<"$said" || fail "for musl: no '$line' in: $said"
done
said=$(LD_PRELOAD=$preload UNCONTEND_VERBOSE=on UNCONTEND_DUMP_AT_EXIT=on sh -c 'echo as ever; exit 4' 2>&1)
[ $? = 4 ] && [ "$said" = 'as ever' ] || fail "a glibc program with the build for musl: $said"

mkfifo "$dir/fifo" || exit 1
cat >"$dir/waits.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <sys/random.h>

int main(void)
{
    char drawn[8];
    pthread_rwlockattr_t shared;
    pthread_rwlock_t lock;

    pthread_rwlockattr_init(&shared);
    pthread_rwlockattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&lock, &shared);
    for (int i = 0; i < 5000; i++) {
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_unlock(&lock);
    }
    for (int i = 0; i < 7; i++)
        getrandom(drawn, sizeof(drawn), 0);
    puts("drawn");
    fflush(stdout);
    return getchar() == EOF ? 0 : 1;
}
END
musl-gcc -O2 -o "$dir/waits" "$dir/waits.c" || exit 1
exec 8<>"$dir/fifo"
coproc waits { LD_PRELOAD=$preload exec "$dir/waits" <"$dir/fifo" 8<&-; }
read -r -t 30 -u "${waits[0]}" said && [ "$said" = drawn ] || fail "the program that waits did not draw"
said=$("$build/uncontend" stat "$waits_PID") || fail "uncontend stat"
exec 8<&-
grep -Eq '^getrandom_calls +7 ' <<<"$said" || fail "uncontend stat of a program of musl: $said"
grep -Eq '^lock_read_glibc +5000 ' <<<"$said" || fail "a lock that processes share was read past musl: $said"

exec tests/builds/run "$build" musl-few
