#!/bin/bash
# SPDX-License-Identifier: MIT
# claim: the stressors of stress-ng that draw, make threads and processes, handle signals, confine
# themselves and load libraries, and verify what they did, end under the preload as they end without it.
# UC_TEST_LONG=1: for longer
# time: 200
#
#   tests/suites/stress-ng.sh BUILDDIR    status 0 pass, 1 fail
set -uo pipefail
export LC_ALL=C
build=$(cd "$1" && pwd) || exit 1
dir=$(mktemp -d "${TMPDIR:-/tmp}/uncontend.XXXXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
type -P stress-ng >/dev/null || { echo "no stress-ng" >&2; exit 1; }

# A stressor and how many of its rounds; what they cost is far from equal.
rounds=(getrandom 400 rdrand 300 urandom 500 pthread 50 mutex 200 futex 200 switch 1000
    fork 50 vfork 100 clone 2 spawn 20 daemon 50 zombie 100 exit-group 5
    sigq 3000 sigrt 3000 sigsuspend 200 sigchld 50 signal 20000 signest 300 sigsegv 500 sigfpe 1000
    sigpending 5000 sigpipe 200 bad-altstack 20 timer 300 longjmp 1000 context 200
    seccomp 20 prctl 40 dynlib 60 vdso 10000 enosys 5 close 3000 set 100 atomic 50)
more=1
[[ ${UC_TEST_LONG-} != 1 ]] || more=5
# Some end themselves by SIGABRT and the like, and stress-ng raises each limit that it may raise.
ulimit -c 0
args=()
for ((i = 0; i < ${#rounds[@]}; i += 2)); do
    args+=("--${rounds[i]}" 1 "--${rounds[i]}-ops" $((rounds[i + 1] * more)))
done

# Not as root, which some of them refuse, and which the others had better not be.
user=()
chmod 711 "$dir"
mkdir "$dir/lib"
cp "$build/libuncontend.so" "$build/libuncontend-rand.so" "$dir/lib" || exit 1
((EUID)) || user=(setpriv --reuid=nobody --regid=nogroup --clear-groups --)

# NAME SETTING..: how it ended, what was left out, what failed. How many rounds there were is not
# compared: a busy machine ends some before.
results() {
    local work=$dir/$1
    shift
    (mkdir -m 777 "$work" && cd "$work" &&
        "${user[@]}" env "$@" timeout -k 5 $((150 * more)) stress-ng --verify --oomable --no-rand-seed \
            --timeout $((100 * more)) --temp-path "$work" "${args[@]}" >"$work/said" 2>&1 </dev/null
        echo "status $?")
    grep -aE 'fail|error|skip|unsupported|successful' "$work/said" | sed -E 's/\[[0-9]+\]/[N]/g; s/ in [0-9].*//' | sort -u
}

results plain >"$dir/plain.results" &
for engine in drbg vdso; do
    results $engine LD_PRELOAD="$dir/lib/libuncontend.so:$dir/lib/libuncontend-rand.so" UNCONTEND_RANDOM=$engine \
        UNCONTEND_RAND_BYTES=on UNCONTEND_SYSCALL=on UNCONTEND_DUMP_AT_EXIT=on \
        UNCONTEND_DUMP_FILE="$dir/$engine/dump" >"$dir/$engine.results" &
done
wait
bad=0
grep -q '^status 0$' "$dir/plain.results" || { tail -n 40 "$dir/plain/said" >&2; exit 1; }
for engine in drbg vdso; do
    if ! diff -u "$dir/plain.results" "$dir/$engine.results" >&2; then
        bad=1
        tail -n 40 "$dir/$engine/said" >&2
    fi
    ! grep -a 'uncontend: ' "$dir/$engine/said" >&2 || bad=1
    grep -qE '^getrandom_calls +[1-9]' "$dir/$engine/dump" || { echo "$engine: nothing was taken over" >&2; bad=1; }
done
exit $bad
