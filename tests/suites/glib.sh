#!/bin/bash
# SPDX-License-Identifier: MIT
# claim: GLib's installed tests of threads, locks, atomics, random numbers and sockets, and those of its
# TLS (GnuTLS, which draws and locks), end under the preload as they end without it
# time: 300
# waits
#
#   tests/suites/glib.sh BUILDDIR         status 0 pass, 1 fail
set -uo pipefail
export LC_ALL=C
build=$(cd "$1" && pwd) || exit 1
tests=/usr/libexec/installed-tests/glib
tls=/usr/libexec/installed-tests/glib-networking
dir=$(mktemp -d "${TMPDIR:-/tmp}/uncontend.XXXXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
names=(rwlock cond thread thread-pool once onceinit bitlock atomic asyncqueue private rand guuid hash hmac checksum
    spawn-multithreaded spawn-singlethread unix timer refcount slice-concurrent gdbus-threading socket
    socket-service task unix-streams cancellable 642026 connection-gnutls certificate-gnutls file-database-gnutls)
[[ ${UC_TEST_LONG-} != 1 ]] ||
    names+=(mutex rec-mutex 1bit-mutex threadtests mainloop timeout gsubprocess signals)
[[ -x $tests/rwlock && -x $tls/connection-gnutls ]] || { echo "$tests or $tls is not there" >&2; exit 1; }

# NAME SETTING..: "test status" and its TAP lines, without comments, which hold seeds and times.
results() {
    local name=$1 test folder
    shift
    mkdir -p "$dir/work.$name"
    for test in "${names[@]}"; do
        folder=$tests
        [[ $test != *-gnutls ]] || folder=$tls
        [[ -x $folder/$test ]] || continue
        env "$@" G_TEST_SRCDIR="$folder" G_TEST_BUILDDIR="$folder" XDG_RUNTIME_DIR="$dir/work.$name" \
            timeout 100 "$folder/$test" --tap >"$dir/work.$name/out" 2>"$dir/work.$name/err" </dev/null
        echo "$test status $?"
        grep -aE '^(not )?ok ' "$dir/work.$name/out" | sed "s/^/$test /; s/ # .*//"
        [[ $name == plain ]] || ! grep -a 'uncontend: ' "$dir/work.$name/err" "$dir/work.$name/out"
    done
}

# Side by side: most of the time they wait.
results plain >"$dir/plain" &
for engine in drbg vdso; do
    results "$engine" LD_PRELOAD="$build/libuncontend.so" UNCONTEND_RANDOM="$engine" UNCONTEND_SYSCALL=on \
        >"$dir/$engine" &
done
wait
(($(grep -c ' ok ' "$dir/plain") > 100)) || { cat "$dir/plain" >&2; exit 1; }
bad=0
for engine in drbg vdso; do
    diff -u "$dir/plain" "$dir/$engine" >&2 || bad=1
done
exit $bad
