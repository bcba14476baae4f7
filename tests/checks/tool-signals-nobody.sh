#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: the command cannot signal a process: it neither imports a function nor makes a system call
# for that
set -u
build=$(cd "$1" && pwd) || exit 1
bad=0
nm -D --undefined-only "$build/uncontend" >/dev/null || exit 1
imports=$(nm -D --undefined-only "$build/uncontend" | awk '{ sub(/@.*/, "", $2); print $2 }')
grep -qx 'process_vm_readv' <<<"$imports" || { echo "its imports cannot be read" >&2; exit 1; }
for name in kill killpg tgkill raise sigqueue pthread_kill pthread_sigqueue pidfd_send_signal \
    process_vm_writev ptrace; do
    grep -qx "$name" <<<"$imports" && { echo "uncontend imports $name" >&2; bad=1; }
done

sleep 60 &
pid=$!
trap 'kill $pid' EXIT
if type -P strace >/dev/null; then
    for words in "stat $pid" list "doctor $pid"; do
        # shellcheck disable=SC2086 # words are words
        calls=$(strace -f -qq -e trace=kill,tkill,tgkill,rt_sigqueueinfo,rt_tgsigqueueinfo,pidfd_send_signal \
            -e signal=none "$build/uncontend" $words 2>&1 >/dev/null | grep -v '^uncontend: ')
        [ -z "$calls" ] || { echo "uncontend $words: $calls" >&2; bad=1; }
    done
fi
exit $bad
