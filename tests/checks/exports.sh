#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: each object exports the names of its export.map and no other, none of them versioned; its
# thread-local storage is initial-exec; at run time it needs libc alone.
set -u
build=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")/../.." || exit 1
bad=0
fail() { echo "$*" >&2; bad=1; }

check() {
    local lib=$1 map=$2 want have difference tls needed
    want=$(sed -n '/^global:/,/^local:/p' "$map" | grep -o '[A-Za-z0-9_]*;' | tr -d ';' | sort)
    have=$(nm -D --defined-only "$lib" | awk '{print $3}' | sort)
    difference=$(diff <(echo "$want") <(echo "$have")) || fail "$map (<) and $lib (>) differ:" "$difference"
    grep -q '@' <<<"$have" && fail "$lib: a symbol has a version: it would interpose nothing"
    nm -D --undefined-only "$lib" | grep -q '__tls_get_addr' && fail "$lib uses __tls_get_addr"
    tls=$(($(readelf -lW "$lib" | awk '$1 == "TLS" {print $6}')))
    [ "$tls" -le 32 ] || fail "$lib: $tls bytes of thread-local storage; 32 are allowed"
    [ "$tls" -eq 0 ] || readelf -d "$lib" | grep -q 'STATIC_TLS' || fail "thread-local storage is not initial-exec"
    needed=$(readelf -d "$lib" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc\.so\.6|libdl\.so\.2|ld-linux.*)$')
    [ -z "$needed" ] || fail "$lib needs $needed at run time"
}

check "$build/libuncontend.so" shims/export.map
check "$build/libuncontend-rand.so" rand/export.map
exit $bad
