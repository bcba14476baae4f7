#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: ThreadSanitizer, helgrind and DRD find the race that is there and no other with the library
# loaded, which leaves the program to them and says so; ASan, UBSan and memcheck are as quiet as without.
# time: 200
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "$1" && pwd) || exit 1
library=$build/libuncontend.so
type -P valgrind >/dev/null || { echo "no valgrind" >&2; exit 1; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

fail() { echo "$*" >&2; bad=1; }

make_program() { # NAME FLAG..
    "${CC:-cc}" -O1 -g -std=gnu11 -Wall -Wextra -Werror "${@:2}" -o "$dir/$1" tests/checks/guarded.c -pthread ||
        exit 1
}

# WHAT STATUS OUTPUT SAYS COMMAND..: both without the library and with it. SAYS is what the library
# has to say, of its locks or of the whole program.
expect() {
    local what=$1 status=$2 output=$3 says=$4 kind got
    shift 4
    for kind in plain loaded; do
        if [[ $kind == plain ]]; then
            "$@" >"$dir/out" 2>"$dir/err"
        else
            LD_PRELOAD=$library UNCONTEND_VERBOSE=on "$@" >"$dir/out" 2>"$dir/err"
        fi
        got=$?
        [[ $got == "$status" && $(<"$dir/out") =~ ^$output$ ]] ||
            fail "$what, $kind: status $got, expected $status, output '$(<"$dir/out")': $(tail -n 25 "$dir/err")"
    done
    # The last to say so is the program, not valgrind's own.
    grep -E '^uncontend: +locks |program unchanged' "$dir/err" | tail -n 1 | grep -qE "$says" ||
        fail "$what: expected '$says' of: $(grep uncontend "$dir/err")"
}

make_program plain
make_program tsan -fsanitize=thread
make_program asan -fsanitize=address,undefined -fno-sanitize-recover=all
good='6000 3000 30'
any='[0-9 ]+'
grind=(valgrind -q --error-exitcode=9)

expect 'no tool' 0 "$good" 'locks +on' "$dir/plain"
expect ThreadSanitizer 0 "$good" 'unchanged: ThreadSanitizer' "$dir/tsan"
expect 'ThreadSanitizer, race' 66 "$any" 'unchanged: ThreadSanitizer' "$dir/tsan" race
expect helgrind 0 "$good" 'unchanged: helgrind' "${grind[@]}" --tool=helgrind "$dir/plain"
expect 'helgrind, race' 9 "$any" 'unchanged: helgrind' "${grind[@]}" --tool=helgrind "$dir/plain" race
expect DRD 0 "$good" 'unchanged: DRD' "${grind[@]}" --tool=drd "$dir/plain"
expect 'DRD, race' 9 "$any" 'unchanged: DRD' "${grind[@]}" --tool=drd "$dir/plain" race
expect memcheck 0 "$good" 'locks +on' "${grind[@]}" --leak-check=full "$dir/plain"
expect 'ASan and UBSan' 0 "$good" 'locks +on' env ASAN_OPTIONS=verify_asan_link_order=0 "$dir/asan"
exit $bad
