#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: where no function is named and no known library is there, the counters engine opens, maps
# and reads nothing: the system calls of a start are those with the engine off. Where one is named,
# its object's file is opened, and no other.
set -u
build=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# calls SETTING PROGRAM [ARG...]: what touches files and memory, addresses and results left out.
calls() {
    local setting=$1
    shift
    env UNCONTEND_COUNTERS="$setting" LD_PRELOAD="$build/libuncontend.so" \
        strace -o "$work/trace" -e trace=openat,open,read,pread64,mmap,memfd_create,readlink,readlinkat "$@" \
        >/dev/null 2>&1
    sed -E 's/^[0-9]+ +//; s/0x[0-9a-f]+/ADDRESS/g; s/"\\177ELF.*"/"ELF"/; s/ = .*//' "$work/trace"
}

same() {
    calls off "$@" >"$work/off"
    calls auto "$@" >"$work/auto"
    if ! [ -s "$work/off" ] || ! diff "$work/off" "$work/auto" >&2; then
        echo "$*: the engine read something" >&2
        failed=1
    fi
}

same /bin/true
# A lock of its own, but no function that is known.
same "$(command -v openssl)" version
cd "$build/tests/targets" || exit 1
same ./stripped/odd-gcc-O2 odd_slots 1 1

calls off ./cache-gcc-O2 1 1 >"$work/off"
calls 'libcache*:cache_hit=add64(arg0+0x60)' ./cache-gcc-O2 1 1 >"$work/named"
opened=$(diff "$work/off" "$work/named" | sed -n 's/^> openat.*"\(.*\)".*/\1/p' | sed 's|.*/||' | sort | uniq -c | xargs)
if [ "$opened" != "1 libcache-gcc-O2.so" ]; then
    echo "opened for one named function: '$opened'" >&2
    failed=1
fi
exit "$failed"
