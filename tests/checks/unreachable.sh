#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: a static program, Go programs (static, and with C libraries), one of 32 bits and one that
# sets its user, all real, run under LD_PRELOAD and under `uncontend run` as without, and `run` and
# `doctor` say of each why nothing, or what little, is taken over.
# shellcheck disable=SC2015 # fail does not end anything
set -u
build=$(cd "$1" && pwd) || exit 1
dir=$(mktemp -d "${TMPDIR:-/tmp}/uncontend.XXXXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
preload=$build/libuncontend.so:$build/libuncontend-rand.so
bad=0
fail() { echo "$*" >&2; bad=1; }

# NAME WORDS COMMAND..: plain, preloaded (silently) and by `run`, which says the words and no more.
same() {
    local name=$1 words=$2 how status plain_status
    shift 2
    "$@" >"$dir/plain" 2>"$dir/plain.err" </dev/null
    plain_status=$?
    # Nothing, or what it cannot do without: the test would show nothing of a program that fails.
    [ -s "$dir/plain" ] || fail "$name: prints nothing by itself, status $plain_status: $(cat "$dir/plain.err")"
    for how in preloaded run; do
        if [ $how = run ]; then
            UNCONTEND_DUMP_AT_EXIT=on UNCONTEND_DUMP_FILE="$dir/dump" "$build/uncontend" run -- "$@" \
                >"$dir/out" 2>"$dir/err" </dev/null
        else
            LD_PRELOAD=$preload UNCONTEND_RAND_BYTES=on UNCONTEND_SYSCALL=on UNCONTEND_DUMP_AT_EXIT=on \
                UNCONTEND_DUMP_FILE="$dir/dump" "$@" >"$dir/out" 2>"$dir/err" </dev/null
        fi
        status=$?
        [ $status = $plain_status ] || fail "$name, $how: status $status, plain $plain_status"
        cmp -s "$dir/plain" "$dir/out" || fail "$name, $how: prints something else: $(cat "$dir/out")"
        if [ $how = run ]; then
            [ "$(grep -c '^uncontend: ' "$dir/err")" = 1 ] && grep -q "^uncontend: .*$words" "$dir/err" ||
                fail "$name: run should say '$words' in one line: $(cat "$dir/err")"
            sed -i '/^uncontend: /d' "$dir/err"
        fi
        # The dynamic linker's own words on a library of another class, or of none that it trusts.
        diff "$dir/plain.err" <(grep -v '^ERROR: ld.so: object .* from LD_PRELOAD cannot be preloaded' "$dir/err") >&2 ||
            fail "$name, $how: says something else"
    done
    # Broken at blanks.
    "$build/uncontend" doctor "$1" >"$dir/doctor"
    status=$?
    tr -s ' \n' '  ' <"$dir/doctor" | grep -q "$words" || fail "$name: doctor should say '$words': $(cat "$dir/doctor")"
    [ $status = "$reached" ] || fail "$name: doctor ends with $status"
}

cat >"$dir/program.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

int main(void)
{
    static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    char drawn[64];

    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    printf("user %d, %d bytes\n", (int)geteuid(), (int)getrandom(drawn, sizeof(drawn), 0));
    return 3;
}
END

# Without a libc, of which there is none for 32 bits: write(1, text, 13), exit_group(4).
cat >"$dir/32.s" <<'END'
.globl _start
_start: mov $4, %eax
        mov $1, %ebx
        mov $text, %ecx
        mov $13, %edx
        int $0x80
        mov $252, %eax
        mov $4, %ebx
        int $0x80
text:   .ascii "32 bits wide\n"
END

reached=1
gcc -O1 -static -o "$dir/static" "$dir/program.c" || fail "gcc -static"
same 'a static program' 'is statically linked' "$dir/static"
gcc -O1 -static-pie -o "$dir/static-pie" "$dir/program.c" || fail "gcc -static-pie"
same 'a static program for any address' 'is statically linked' "$dir/static-pie"
same 'a static Go program' 'is a static Go program' shfmt --version
reached=0
same 'a Go program with C libraries' 'is a Go program' promtool --version
rm -f "$dir/dump" # of its C libraries
reached=1
if [ "$(uname -m)" = x86_64 ]; then
    gcc -m32 -nostdlib -static -no-pie -o "$dir/32" "$dir/32.s" || fail "gcc -m32"
    # Some kernels run none.
    if "$dir/32" >/dev/null 2>&1 || [ $? = 4 ]; then
        same 'a program of 32 bits' 'is built for another architecture' "$dir/32"
    fi
fi
if [ "$(id -u)" = 0 ]; then
    gcc -O1 -o "$dir/set-user" "$dir/program.c" || fail "gcc"
    chown nobody "$dir/set-user" && chmod 4755 "$dir/set-user" || fail "no set-user-ID"
    same 'a set-user-ID program' 'gains privileges' "$dir/set-user"
    grep -q "user $(id -u nobody)," "$dir/plain" || fail "set-user-ID does nothing here: $(cat "$dir/plain")"
fi
[ -e "$dir/dump" ] && fail "a dump was left: $(cat "$dir/dump")"
exit $bad
