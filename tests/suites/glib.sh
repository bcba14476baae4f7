#!/bin/bash
# SPDX-License-Identifier: MIT
# claim: GLib's installed tests of threads, locks, atomics, random numbers and sockets, and those of its
# TLS (GnuTLS, which draws and locks), end under the preload as they end without it
# time: 300
# waits
#
#   tests/suites/glib.sh BUILDDIR         status 0 pass, 1 fail
set -uo pipefail
# shellcheck source=tests/suites/lib/suite.sh
. "$(dirname "$0")/lib/suite.sh"
begin_suite "$1"
tests=/usr/libexec/installed-tests/glib
tls=/usr/libexec/installed-tests/glib-networking
names=(rwlock cond thread thread-pool once onceinit bitlock atomic asyncqueue private rand guuid hash hmac checksum
    spawn-multithreaded spawn-singlethread unix timer refcount slice-concurrent gdbus-threading socket
    socket-service task unix-streams cancellable 642026 connection-gnutls certificate-gnutls file-database-gnutls)
[[ ${UC_TEST_LONG-} != 1 ]] ||
    names+=(mutex rec-mutex 1bit-mutex threadtests mainloop timeout gsubprocess signals)
[[ -x $tests/rwlock && -x $tls/connection-gnutls ]] || { echo "$tests or $tls is not there" >&2; exit 1; }

# Of what they print the TAP lines, without comments, which hold seeds and times.
# shellcheck disable=SC2317 # run_ways calls it
results() {
    local way=$1 test folder
    shift
    for test in "${names[@]}"; do
        folder=$tests
        [[ $test != *-gnutls ]] || folder=$tls
        [[ -x $folder/$test ]] || continue
        env "$@" G_TEST_SRCDIR="$folder" G_TEST_BUILDDIR="$folder" XDG_RUNTIME_DIR="$dir/$way" \
            timeout 100 "$folder/$test" --tap >"$dir/$way/said.$test" 2>"$dir/$way/said.$test.err" </dev/null
        echo "$test status $?"
        grep -aE '^(not )?ok ' "$dir/$way/said.$test" | sed "s/^/$test /; s/ # .*//"
    done
}

run_ways
(($(grep -c ' ok ' "$dir/plain.results") > 100)) || { cat "$dir/plain.results" >&2; exit 1; }
compare_ways
