#!/bin/bash
# SPDX-License-Identifier: MIT
# claim: systemd's unit tests of random numbers and identifiers, processes, signals, descriptors, event
# loops, threads and seccomp filters end under the preload as they end without it
# time: 200
#
#   tests/suites/systemd.sh BUILDDIR      status 0 pass, 1 fail
set -uo pipefail
export LC_ALL=C
build=$(cd "$1" && pwd) || exit 1
tests=/usr/lib/systemd/tests
dir=$(mktemp -d "${TMPDIR:-/tmp}/uncontend.XXXXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
[[ -x $tests/test-random-util ]] || { echo "$tests is not there" >&2; exit 1; }
names=(random-util id128 async barrier fd-util fdset fs-util hash-funcs hashmap hmac list log mmap-cache prioq
    process-util seccomp set sha256 sigbus signal-util siphash24 socket-util strv tmpfile-util util watch-pid execve
    exec-util bus-server bus-objects sd-device-thread udev-device-thread rm-rf fileio varlink cryptolib user-util)

# NAME SETTING..: "test status" of all.
results() {
    local name=$1 test
    shift
    mkdir "$dir/work.$name"
    for test in "${names[@]}"; do
        (cd "$dir/work.$name" && env "$@" TMPDIR="$dir/work.$name" timeout 150 "$tests/test-$test" >"$dir/$name.$test" 2>&1 </dev/null)
        echo "$test status $?"
        [[ $name == plain ]] || ! grep -a 'uncontend: ' "$dir/$name.$test"
    done
}

# Side by side: most of the time they wait.
results plain >"$dir/plain" &
for engine in drbg vdso; do
    results "$engine" LD_PRELOAD="$build/libuncontend.so" UNCONTEND_RANDOM="$engine" UNCONTEND_SYSCALL=on \
        >"$dir/$engine" &
done
wait
(($(grep -c ' status 0$' "$dir/plain") > 30)) || { cat "$dir/plain" >&2; exit 1; }
bad=0
for engine in drbg vdso; do
    diff -u "$dir/plain" "$dir/$engine" >"$dir/diff" && continue
    bad=1
    cat "$dir/diff" >&2
    while read -r test; do
        tail -n 20 "$dir/$engine.$test" >&2
    done < <(sed -n 's/^+\([a-z0-9-]*\) status.*/\1/p' "$dir/diff")
done
exit $bad
