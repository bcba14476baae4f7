#!/bin/bash
# SPDX-License-Identifier: MIT
# claim: OpenSSH's own regression tests (sandboxed children of sshd, agents, keys) and unit tests end under
# the preload as they end without it. UC_TEST_LONG=1: more of them
# time: 300
#
#   tests/suites/openssh.sh BUILDDIR      status 0 pass, 1 fail
# shellcheck disable=SC2154 # server-lib.sh sets dir
set -uo pipefail
export LC_ALL=C
# shellcheck source=scripts/server-lib.sh
. "$(dirname "$0")/../../scripts/server-lib.sh"
build=$(cd "$1" && pwd) || exit 1
tests=/usr/lib/openssh/regress
[[ -e $tests/test-exec.sh ]] || { echo "$tests is not there" >&2; exit 1; }
limit=280 # seconds for one
# Those that need no port: sshd is a child of ssh.
names=(proxy-connect exit-status-signal proto-mismatch)
units=(hostkeys misc match conversion)
if [[ ${UC_TEST_LONG-} == 1 ]]; then
    names+=(connect-privsep proto-version exit-status envpass transfer banner dhgex stderr-data
        stderr-after-eof broken-pipe yes-head agent agent-getpeereid agent-subprocess keygen-change
        keygen-convert keygen-moduli scp scp3 sftp sftp-cmds localcommand forcecommand keytype kextype)
    limit=1500
fi

# NAME SETTING..: "test status last-line" of all.
results() {
    local name=$1 test work=$dir/$1
    shift
    cp -r "$tests" "$work"
    cd "$work" || exit 1
    export TEST_SHELL=sh TEST_SSH_UNSAFE_PERMISSIONS=1 TEST_SSH_SFTPSERVER=/usr/lib/openssh/sftp-server \
        TEST_SSH_ECC=yes
    for test in "${names[@]}"; do
        env "$@" timeout $limit sh test-exec.sh "$work" "$work/$test.sh" >"said.$test" 2>&1 </dev/null
        echo "$test status $? $(grep -aE '^(ok|failed|FATAL|SKIPPED)' "said.$test" | tail -n 1)"
    done
    for test in "${units[@]}"; do
        env "$@" timeout $limit "unittests/$test/test_$test" -d "unittests/$test/testdata" >"said.$test" 2>&1 </dev/null
        echo "$test status $? $(tail -n 1 "said.$test" | tr -d '.')"
    done
    [[ $name == plain ]] || ! grep -l 'uncontend: ' said.* ./*.log
}

begin_servers
hold_sshd_directory
# Side by side: most of the time they wait.
results plain >"$dir/plain.results" &
for engine in drbg vdso; do
    results "$engine" LD_PRELOAD="$build/libuncontend.so:$build/libuncontend-rand.so" \
        UNCONTEND_RANDOM="$engine" UNCONTEND_RAND_BYTES=on UNCONTEND_SYSCALL=on >"$dir/$engine.results" &
done
wait
bad=0
(($(grep -c ' status 0 ok ' "$dir/plain.results") > ${#names[@]} * 3 / 4)) || { cat "$dir/plain.results" >&2; exit 1; }
for engine in drbg vdso; do
    diff -u "$dir/plain.results" "$dir/$engine.results" >"$dir/diff" && continue
    bad=1
    cat "$dir/diff" >&2
    while read -r test; do
        tail -n 20 "$dir/$engine/said.$test" "$dir/$engine/sshd.log" >&2
    done < <(sed -n 's/^+\([a-z0-9-]*\) status.*/\1/p' "$dir/diff")
done
exit $bad
