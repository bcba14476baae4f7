# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034,SC2154 # the scripts that source this read and set some
#
# What the scripts of tests/suites have in common: somebody else's tests are run plain and with each
# engine, at the same time, since most of it is waiting, and end alike. To be sourced by bash with
# `set -uo pipefail`.
#
#   begin_suite BUILDDIR [DIR]  first: sets $build, $library, $rand_library and $dir, which is removed
#                           at the end; DIR: somebody else made one, and removes it
#   run_ways                calls the script's function `results NAME SETTING..` for NAME plain, drbg and
#                           vdso, SETTING being for env. It has $dir/NAME for its own, leaves what TEST
#                           printed in $dir/NAME/said.TEST, and prints lines "TEST status ..", or others
#                           which have to be the same in all ways: $dir/NAME.results
#   compare_ways            status 1, and what differs, if they are not, or if the library said something
#   tell_end NAME TEST..    the last of what these printed

export LC_ALL=C

begin_suite() {
    build=$(cd "$1" && pwd) || exit 1
    library=$build/libuncontend.so
    rand_library=$build/libuncontend-rand.so
    dir=${2-}
    [[ ! $dir ]] || return 0
    dir=$(mktemp -d "${TMPDIR:-/tmp}/uncontend.XXXXXXXX") || exit 1
    trap 'rm -rf "$dir"' EXIT
}

run_ways() {
    local way settings
    for way in plain drbg vdso; do
        settings=()
        [[ $way == plain ]] || settings=(LD_PRELOAD="$library:$rand_library" UNCONTEND_RANDOM="$way"
            UNCONTEND_RAND_BYTES=on UNCONTEND_SYSCALL=on)
        mkdir "$dir/$way"
        results "$way" "${settings[@]}" >"$dir/$way.results" &
    done
    wait
}

tell_end() {
    local name=$1 test
    for test in "${@:2}"; do tail -n 40 "$dir/$name/said.$test"; done >&2
}

compare_ways() {
    local way bad=0 differ
    for way in drbg vdso; do
        ! grep -a 'uncontend: ' "$dir/$way/said."* >&2 || bad=1
        diff -u "$dir/plain.results" "$dir/$way.results" >&2 && continue
        bad=1
        mapfile -t differ < <(diff "$dir/plain.results" "$dir/$way.results" |
            sed -n 's/^> \([a-z0-9-]*\) status.*/\1/p')
        tell_end "$way" "${differ[@]}"
    done
    return $bad
}
