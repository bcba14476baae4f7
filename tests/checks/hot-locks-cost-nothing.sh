#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: who does not wait for a lock pays nothing for the table of hot locks: the inline paths call
# nothing for it and do not look for their caller's address, the first try of a write neither
set -u
build=$(cd "$1" && pwd) || exit 1
bad=0
fail() { echo "$*" >&2; bad=1; }

# The instructions of a function, up to the end of its symbol.
body() {
    local at size
    read -r at size < <(nm -S "$build/libuncontend.so" | sed -nE "s/^(\w+) (\w+) [tT] $1\$/\1 \2/p")
    [ -n "${size-}" ] || return
    objdump -d --no-show-raw-insn --start-address="0x$at" --stop-address=$((0x$at + 0x$size)) \
        "$build/libuncontend.so" | grep -P '^ +[0-9a-f]+:'
}

# Of the paths that do not wait, calls and jumps lead to libc's functions and to these alone.
allowed='uc_rwlock_read_by|uc_rwlock_unlock_by|uc_rwlock_write|uc_hold_left|uc_wait_valid|uc_libc_[a-z_]*|uc_real_get'
for f in pthread_rwlock_rdlock pthread_rwlock_unlock uc_wait_write; do
    code=$(body "$f")
    [ -n "$code" ] || { fail "no code of $f"; continue; }
    # shellcheck disable=SC2001
    others=$(grep -oP '(call|jmp) +[0-9a-f]+ <\K[a-z_0-9]+(?=>)' <<<"$code" | grep -vxE "$allowed")
    [ -z "$others" ] || fail "$f calls $others"
done
# The return address is on top of the stack where nothing was pushed.
for f in pthread_rwlock_rdlock pthread_rwlock_unlock; do
    ! body "$f" | sed '/\bret\b/q' | grep -E '\(%rsp\)|rdtsc|\block\b' ||
        fail "$f looks for its caller, the time, or has an atomic instruction"
done
! body uc_wait_write | grep -E 'rdtsc' || fail "uc_wait_write looks at the time"
exit $bad
