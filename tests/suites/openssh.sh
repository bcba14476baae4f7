#!/bin/bash
# SPDX-License-Identifier: MIT
# claim: OpenSSH's own regression tests (sandboxed children of sshd, agents, keys) and unit tests end under
# the preload as they end without it. UC_TEST_LONG=1: more of them
# time: 300
#
#   tests/suites/openssh.sh BUILDDIR      status 0 pass, 1 fail
set -uo pipefail
# shellcheck source=scripts/server-lib.sh
. "$(dirname "$0")/../../scripts/server-lib.sh"
# shellcheck source=tests/suites/lib/suite.sh
. "$(dirname "$0")/lib/suite.sh"
begin_servers
begin_suite "$1" "$dir"
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

# Of what they print also the last line.
# shellcheck disable=SC2317 # run_ways calls it
results() {
    local work=$dir/$1 test
    shift
    cp -r "$tests/." "$work"
    cd "$work" || exit 1
    export TEST_SHELL=sh TEST_SSH_UNSAFE_PERMISSIONS=1 TEST_SSH_SFTPSERVER=/usr/lib/openssh/sftp-server \
        TEST_SSH_ECC=yes
    for test in "${names[@]}"; do
        env "$@" timeout $limit sh test-exec.sh "$work" "$work/$test.sh" >"said.$test" 2>&1 </dev/null
        echo "$test status $? $(grep -aE '^(ok|failed|FATAL|SKIPPED)' "said.$test" | tail -n 1)"
        cat ./*.log >>"said.$test"
    done
    for test in "${units[@]}"; do
        env "$@" timeout $limit "unittests/$test/test_$test" -d "unittests/$test/testdata" >"said.$test" 2>&1 </dev/null
        echo "$test status $? $(tail -n 1 "said.$test" | tr -d '.')"
    done
}

hold_sshd_directory
run_ways
(($(grep -c ' status 0 ok ' "$dir/plain.results") > ${#names[@]} * 3 / 4)) || { cat "$dir/plain.results" >&2; exit 1; }
compare_ways
