#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: dieharder finds nothing in what the random functions give, by either engine, and does find
# something in streams that are broken on purpose. UC_TEST_LONG=1: all its tests, hundreds of
# gigabytes, hours.
# time: 900
#
# A p-value below 10^-6 or above 1 - 10^-6 is dieharder's FAILED. A test in which one failed is run
# once more on fresh bytes, and must not fail again. So a fair generator fails m p-values of one test
# with (2 * 10^-6 * m)^2: the short form, 62 in 50 tests of at most 2, with less than 10^-9 in all, the
# long form, with tests of up to 30, with less than 10^-7, as far as dieharder's p-values are exact.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "$1" && pwd) || exit 1
export stream=$build/quality-stream library=$build/libuncontend.so
type -P dieharder >/dev/null || { echo "no dieharder" >&2; exit 1; }
"${CC:-cc}" -O2 -std=gnu11 -Wall -Wextra -Werror -o "$stream" tests/quality/stream.c -pthread -ldl || exit 1

# 0: all passed; 1: one FAILED; 2: it did not run as meant. Says what came, errors included.
try() { # ENGINE FUNCTION TEST[:NTUPLE]
    local said options=(-d "${3%:*}")
    [[ $3 != *:* ]] || options+=(-n "${3#*:}")
    said=$({ LD_PRELOAD=$library UNCONTEND_RANDOM=$1 "$stream" "$2" 2>&3 |
        dieharder -g 200 "${options[@]}" -D test_name -D ntuple -D pvalues -D assessment; } 3>&1)
    echo "$said"
    [ -n "$said" ] && ! grep -qvE '\| *(PASSED|WEAK|FAILED) *$' <<<"$said" || return 2
    ! grep -q FAILED <<<"$said"
}

judge() { # ENGINE FUNCTION TEST[:NTUPLE]
    local first second
    first=$(try "$@") && return
    [ $? = 1 ] && second=$(try "$@") && return
    printf 'UNCONTEND_RANDOM=%s %s, dieharder test %s:\n%s\n%s\n' "$@" "$first" "${second-}" >&2
    return 1
}
export -f try judge

# Whoever never refuses judges nothing: each stream has to fail twice.
for pair in holes:8 echo:8 congruential:8 holes:100 echo:15 congruential:206; do
    said=$(library='' judge '' "${pair%:*}" "${pair#*:}" 2>&1) && said=accepted
    if [ "$(grep -c FAILED <<<"$said")" -lt 2 ]; then
        printf 'test %s of %s: %s\n' "${pair#*:}" "${pair%:*}" "$said" >&2
        exit 1
    fi
done

cases() {
    local functions=(getrandom getentropy arc4random arc4random_buf arc4random_uniform)
    # Quick ones for each function, and for each another one that takes longer.
    local quick=(8 15 100 206) extra=(0 207 205 209 202) i test
    if [ "${UC_TEST_LONG-}" = 1 ]; then
        # All but 14, which dieharder itself says not to use.
        quick=({0..13} {15..17} 100 101 102 200:{1..12} 201:{2..5} 202:{2..5} 203:{0..32} {204..209})
        extra=('' '' '' '' '')
        printf 'system getrandom %s\n' "${quick[@]}" # the kernel's own bytes, once
    fi
    for i in "${!functions[@]}"; do
        for test in "${quick[@]}" ${extra[i]:+"${extra[i]}"}; do
            printf "%s ${functions[i]} $test\n" drbg vdso
        done
    done
}
# shellcheck disable=SC2016 # "$@" belongs to the inner shell
cases | xargs -P 2 -L 1 bash -c 'judge "$@"' judge
