#!/bin/bash
# SPDX-License-Identifier: MIT
# claim: programs under AddressSanitizer, UndefinedBehaviorSanitizer, ThreadSanitizer, memcheck,
# helgrind and DRD start and end preloaded as they do plain, faults in them are still found, and under race
# detectors the library stands aside
# time: 300
#
#   tests/suites/detectors.sh BUILDDIR    status 0 pass, 1 fail
set -uo pipefail
export LC_ALL=C
build=$(cd "$1" && pwd) || exit 1
dir=$(mktemp -d "${TMPDIR:-/tmp}/uncontend.XXXXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

# Clean with the argument "none"; with "race", "heap" or "shift" it has that fault.
cat >"$dir/program.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int shared, racy;
static const char *fault = "";

static void *work(void *unused)
{
    unsigned char drawn[64];
    for (int i = 0; i < 3000; i++) {
        pthread_rwlock_rdlock(&lock);
        int seen = shared;
        pthread_rwlock_unlock(&lock);
        if (i % 100 == 0) {
            pthread_rwlock_wrlock(&lock);
            shared = seen + 1;
            pthread_rwlock_unlock(&lock);
        }
        if (strcmp(fault, "race") == 0)
            racy++;
        if (getrandom(drawn, sizeof drawn, 0) != sizeof drawn)
            abort();
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[3];
    int status;
    fault = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    pid_t pid = fork();
    if (pid == 0) {
        work(NULL);
        _exit(5);
    }
    waitpid(pid, &status, 0);
    char *memory = malloc(10);
    volatile int n = 10 + (strcmp(fault, "heap") == 0);
    memset(memory, 1, n);
    volatile int by = strcmp(fault, "shift") == 0 ? 40 : 4;
    printf("child %d, %d\n", WEXITSTATUS(status), memory[0] + (1 << by) * 0);
    free(memory);
    return 0;
}
END

# NAME FAULT COMMAND..: clean it ends as plain, with its fault it is refused as plain.
compare() {
    local name=$1 fault=$2 argument out plain status plain_status
    shift 2
    for argument in none "$fault"; do
        plain=$("$@" "$argument" 2>"$dir/err.plain" </dev/null)
        plain_status=$?
        out=$(LD_PRELOAD=$build/libuncontend.so "$@" "$argument" 2>"$dir/err" </dev/null)
        status=$?
        if [[ $status != "$plain_status" || $out != "$plain" ]]; then
            bad=1
            printf '%s %s: status %s, plain %s; %s, plain %s\n' "$name" "$argument" "$status" "$plain_status" \
                "$out" "$plain" >&2
            tail -n 20 "$dir/err" >&2
        fi
        [[ $argument != none || $plain_status == 0 ]] || {
            bad=1
            echo "$name: a clean program ends with $plain_status plain" >&2
            tail -n 20 "$dir/err.plain" >&2
        }
        [[ $argument == none || $status != 0 ]] || {
            bad=1
            echo "$name does not find the $fault" >&2
        }
        grep -q 'uncontend: ' "$dir/err" && { bad=1; cat "$dir/err" >&2; }
    done
    [[ $fault == race ]] || return
    LD_PRELOAD=$build/libuncontend.so UNCONTEND_VERBOSE=on "$@" none >"$dir/said" 2>&1 </dev/null
    grep -q 'program unchanged: .* is watching' "$dir/said" || { bad=1; echo "$name: the library does not stand aside" >&2; }
}

build_program() { "$1" -g -O1 -pthread -w "${@:3}" -o "$dir/$2" "$dir/program.c" || bad=1; }

build_program gcc plain
build_program gcc asan-gcc -fsanitize=address -static-libasan
build_program gcc ubsan-gcc -fsanitize=undefined -fno-sanitize-recover=all
build_program gcc tsan-gcc -fsanitize=thread
build_program clang asan-clang -fsanitize=address
build_program clang tsan-clang -fsanitize=thread
compare 'gcc -fsanitize=address' heap "$dir/asan-gcc"
compare 'gcc -fsanitize=undefined' shift "$dir/ubsan-gcc"
compare 'gcc -fsanitize=thread' race "$dir/tsan-gcc"
compare 'clang -fsanitize=address' heap "$dir/asan-clang"
compare 'clang -fsanitize=thread' race "$dir/tsan-clang"
compare memcheck heap valgrind -q --error-exitcode=9 --trace-children=no "$dir/plain"
compare helgrind race valgrind -q --tool=helgrind --error-exitcode=9 "$dir/plain"
compare DRD race valgrind -q --tool=drd --error-exitcode=9 "$dir/plain"
exit $bad
