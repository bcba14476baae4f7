#!/bin/bash
# SPDX-License-Identifier: MIT
# claim: the stressors of stress-ng that draw, make threads and processes, handle signals, confine
# themselves and load libraries, and verify what they did, end under the preload as they end without it.
# UC_TEST_LONG=1: for longer
# time: 200
#
#   tests/suites/stress-ng.sh BUILDDIR    status 0 pass, 1 fail
set -uo pipefail
# shellcheck source=tests/suites/lib/suite.sh
. "$(dirname "$0")/lib/suite.sh"
begin_suite "$1"
type -P stress-ng >/dev/null || { echo "no stress-ng" >&2; exit 1; }

# A stressor and how many of its rounds; what they cost is far from equal.
rounds=(getrandom 400 rdrand 300 urandom 500 pthread 50 mutex 200 futex 200 switch 1000
    fork 50 vfork 100 clone 2 spawn 20 daemon 50 zombie 100 exit-group 5
    sigq 3000 sigrt 3000 sigsuspend 200 sigchld 50 signal 20000 signest 300 sigsegv 500 sigfpe 1000
    sigpending 5000 sigpipe 200 bad-altstack 20 timer 300 longjmp 1000 context 200
    seccomp 20 prctl 40 dynlib 60 vdso 10000 enosys 5 close 3000 set 100 atomic 50)
more=1
[[ ${UC_TEST_LONG-} != 1 ]] || more=5
# Some end themselves by SIGABRT and the like, and stress-ng raises each limit that it may raise.
ulimit -c 0
args=()
for ((i = 0; i < ${#rounds[@]}; i += 2)); do
    args+=("--${rounds[i]}" 1 "--${rounds[i]}-ops" $((rounds[i + 1] * more)))
done

# Not as root, which some of them refuse, and which the others had better not be.
user=()
chmod 711 "$dir"
mkdir "$dir/lib"
cp "$library" "$rand_library" "$dir/lib" || exit 1
library=$dir/lib/${library##*/} rand_library=$dir/lib/${rand_library##*/}
((EUID)) || user=(setpriv --reuid=nobody --regid=nogroup --clear-groups --)

# How it ended, what was left out, what failed. How many rounds there were is not compared: a busy
# machine ends some before.
# shellcheck disable=SC2317 # run_ways calls it
results() {
    local work=$dir/$1
    shift
    chmod 777 "$work"
    (cd "$work" &&
        "${user[@]}" env UNCONTEND_DUMP_AT_EXIT=on UNCONTEND_DUMP_FILE="$work/dump" "$@" \
            timeout -k 5 $((150 * more)) stress-ng --verify --oomable --no-rand-seed --timeout $((100 * more)) \
            --temp-path "$work" "${args[@]}" >said.stress-ng 2>&1 </dev/null
        echo "stress-ng status $?")
    grep -aE 'fail|error|skip|unsupported|successful' "$work/said.stress-ng" |
        sed -E 's/\[[0-9]+\]/[N]/g; s/ in [0-9].*//' | sort -u
}

run_ways
grep -q '^stress-ng status 0$' "$dir/plain.results" || { tell_end plain stress-ng; exit 1; }
bad=0
compare_ways || bad=1
for engine in drbg vdso; do
    grep -qE '^getrandom_calls +[1-9]' "$dir/$engine/dump" || { echo "$engine: nothing was taken over" >&2; bad=1; }
done
exit $bad
