#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: a program of another C library that inherits LD_PRELOAD runs as without it, silently, and
# `uncontend run` and `doctor` say that nothing happens there.
# shellcheck disable=SC2015 # fail does not come back
set -u
build=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")/../.." || exit 1
type -P musl-gcc >/dev/null || { echo "no musl-gcc" >&2; exit 1; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/uncontend.XXXXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*" >&2; exit 1; }

cat >"$dir/program.c" <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile sig_atomic_t came;

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
[ $? = 3 ] && [ "$plain" = "child 7, thread 1, signal 10" ] || fail "plain: $plain"
said=$(LD_PRELOAD=$preload UNCONTEND_RAND_BYTES=on UNCONTEND_SYSCALL=on UNCONTEND_DUMP_AT_EXIT=on "$dir/program" 2>&1)
status=$?
[ $status = 3 ] && [ "$said" = "$plain" ] || fail "preloaded, status $status: $said"
said=$("$build/uncontend" run -- "$dir/program" 2>&1)
[ $? = 3 ] && grep -q 'another C library' <<<"$said" && grep -qx "$plain" <<<"$said" || fail "uncontend run: $said"
"$build/uncontend" doctor "$dir/program" | grep -q 'another C library' || fail "doctor says nothing of it"
