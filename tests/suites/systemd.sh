#!/bin/bash
# SPDX-License-Identifier: MIT
# claim: systemd's unit tests of random numbers and identifiers, processes, signals, descriptors, event
# loops, threads and seccomp filters end under the preload as they end without it
# time: 200
#
#   tests/suites/systemd.sh BUILDDIR      status 0 pass, 1 fail
set -uo pipefail
# shellcheck source=tests/suites/lib/suite.sh
. "$(dirname "$0")/lib/suite.sh"
begin_suite "$1"
tests=/usr/lib/systemd/tests
[[ -x $tests/test-random-util ]] || { echo "$tests is not there" >&2; exit 1; }
names=(random-util id128 async barrier fd-util fdset fs-util hash-funcs hashmap hmac list log mmap-cache prioq
    process-util seccomp set sha256 sigbus signal-util siphash24 socket-util strv tmpfile-util util watch-pid execve
    exec-util bus-server bus-objects sd-device-thread udev-device-thread rm-rf fileio varlink cryptolib user-util)

# shellcheck disable=SC2317 # run_ways calls it
results() {
    local way=$1 test
    shift
    for test in "${names[@]}"; do
        (cd "$dir/$way" && env "$@" TMPDIR="$dir/$way" timeout 150 "$tests/test-$test" >"said.$test" 2>&1 </dev/null)
        echo "$test status $?"
    done
}

run_ways
(($(grep -c ' status 0$' "$dir/plain.results") > 30)) || { cat "$dir/plain.results" >&2; exit 1; }
compare_ways
