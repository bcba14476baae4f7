#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: dieharder finds nothing in what the random functions give, by either engine, and does find
# something in streams that are broken on purpose. UC_TEST_LONG=1: nearly all its tests, on 90 GB of
# each engine's output. UC_TEST_ENGINES="drbg vdso" and UC_TEST_JOBS=2 are what a run by hand may change.
# Each test's p-values, and how many bytes it took, are left in BUILDDIR/quality.
# time: 900
#
# A p-value below 10^-6 or above 1 - 10^-6 is dieharder's FAILED. A test in which one failed is run
# once more on fresh bytes, and must not fail again. So a fair generator fails m p-values of one test
# with (2 * 10^-6 * m)^2: the short form, 62 in 50 tests of at most 2, with less than 10^-9 in all, the
# long form, with tests of up to 30, with less than 10^-6, as far as dieharder's p-values are exact.
# WEAK is what one fair p-value in 100 is: not refused, but counted, and there must not be many. Some
# tests' p-values are not exact or hang together; so the limit is thrice what is expected, and ten.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "$1" && pwd) || exit 1
export stream=$build/quality-stream library=$build/libuncontend.so report=$build/quality
type -P dieharder >/dev/null || { echo "no dieharder" >&2; exit 1; }
"${CC:-cc}" -O2 -std=gnu11 -Wall -Wextra -Werror -o "$stream" tests/quality/stream.c -pthread -ldl || exit 1
# What was judged good is not judged again while all of it is the same, the CPU and the judge included.
# shellcheck source=tests/checks/lib/unchanged.sh
. tests/checks/lib/unchanged.sh
unless_unchanged "$build" "$library" "$stream" "=$(grep -m1 '^flags' /proc/cpuinfo)" \
    "=$(type -P dieharder; dieharder -l | head -n 3)"
: >"$report" || exit 1

# 0: all passed; 1: one FAILED; 2: it did not run as meant. Says what came, errors included.
try() { # ENGINE FUNCTION TEST[:NTUPLE]
    local said options=(-d "${3%:*}")
    [[ $3 != *:* ]] || options+=(-n "${3#*:}")
    said=$({ LD_PRELOAD=$library UNCONTEND_RANDOM=$1 "$stream" "$2" 2>&3 |
        dieharder -g 200 "${options[@]}" -D test_name -D ntuple -D pvalues -D assessment; } 3>&1)
    echo "$said"
    grep -q '|' <<<"$said" || return 2
    ! grep -qvE '\| *(PASSED|WEAK|FAILED) *$|^[0-9]+ bytes$' <<<"$said" || return 2
    ! grep -q FAILED <<<"$said"
}

judge() { # ENGINE FUNCTION TEST[:NTUPLE]
    local first second='' status
    first=$(try "$@")
    status=$?
    if [ $status = 1 ]; then
        second=$(try "$@")
        status=$?
    fi
    printf 'UNCONTEND_RANDOM=%s %s, dieharder test %s:\n%s\n%s\n' "$@" "$first" "$second" |
        if [ $status = 0 ]; then cat; else tee /dev/stderr; fi >>"$report"
    return $status
}
export -f try judge

# Whoever never refuses judges nothing: each stream has to fail twice.
for pair in holes:8 echo:8 congruential:8 holes:100 echo:15 congruential:206; do
    said=$(library='' report=/dev/null judge '' "${pair%:*}" "${pair#*:}" 2>&1) && said=accepted
    if [ "$(grep -c FAILED <<<"$said")" -lt 2 ]; then
        printf 'test %s of %s: %s\n' "${pair#*:}" "${pair%:*}" "$said" >&2
        exit 1
    fi
done

functions=(getrandom getentropy arc4random arc4random_buf arc4random_uniform)
engines=${UC_TEST_ENGINES-drbg vdso}
# Quick ones for each function, and for each another one that takes longer.
quick=(8 15 100 206) slow=(0 207 205 209 202)
if [ "${UC_TEST_LONG-}" = 1 ]; then
    # All but 14, which dieharder itself says not to use; of 203, which takes 0.4 GB more for each
    # step, not every one. Those that take a minute, or gigabytes, take one function each, in turn.
    quick=({0..6} {8..13} 15 16 100 101 102 200:{1..6} 201:{2,3} 202:{2..5} 203:{0,1} {204..209})
    slow=(7 200:{7..12} 201:{4,5} 203:{2,3,5,8,13,21,32} 17)
fi

cases() {
    local engine function test i
    for test in "${quick[@]}"; do
        for function in "${functions[@]}"; do
            for engine in $engines; do
                echo "$engine $function $test"
            done
        done
    done
    for i in "${!slow[@]}"; do
        for engine in $engines; do
            echo "$engine ${functions[i % ${#functions[@]}]} ${slow[i]}"
        done
    done
    if [ "${UC_TEST_LONG-}" = 1 ]; then
        printf 'system getrandom %s\n' "${quick[@]}" # the kernel's own bytes, once
    fi
}
# shellcheck disable=SC2016 # "$@" belongs to the inner shell
cases | xargs -P "${UC_TEST_JOBS-2}" -L 1 bash -c 'judge "$@"' judge || exit 1

awk '/\|/ { all++; weak += /WEAK/; failed += /FAILED/ }
    / bytes$/ { bytes += $1 }
    END {
        printf "%d p-values of %.1f GB: %d weak, %d failed once\n", all, bytes / 1e9, weak, failed
        exit weak > 10 + 0.03 * all
    }' "$report" >"$report.sum" || { cat "$report.sum" >&2; exit 1; }
tee -a "$report" <"$report.sum" && it_passed
