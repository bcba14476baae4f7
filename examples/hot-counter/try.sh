#!/bin/bash
# SPDX-License-Identifier: MIT
# Does what the README beside it says: finds the hot lock of the server and the SPEC for it, has the
# doctor judge that, and runs with it until the counter was replaced and nothing waits any more:
# examples/hot-counter/try.sh [BUILDDIR]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/server-lib.sh
. "$here/../../scripts/server-lib.sh"
build=$(cd "${1-$here/../../build}" && pwd) || exit 1

need_programs "${CC:-cc}" make setpriv
begin_servers
cp "$here"/*.[ch] "$here/Makefile" "$dir"
make -s -C "$dir" MAKEFLAGS= || exit 1
cd "$dir" || exit 1

# WANTED [OPTION..]: the server in the background, until its statistics say that.
watch() {
    local tries=100
    server_log=$dir/log
    in_background "$build/uncontend" run "${@:2}" -- "$dir/server" 4 60 >"$server_log" 2>&1
    server_pid=${live[-1]}
    until "$build/uncontend" stat "$server_pid" >"$dir/stat" 2>&1 && grep -qE "$1" "$dir/stat"; do
        ((tries-- > 0)) || die "the statistics never say '$1': $(<"$dir/stat")"
        sleep 0.1
    done
    cat "$dir/stat"
    end_server TERM 10
}

watch "COUNTERS='auto;.*'"
spec=$(sed -n "s/^ *-o COUNTERS='\(.*\)' *\$/\1/p" "$dir/stat" | head -n 1)
[[ $spec == 'auto;libstore.so:count_hit=add64(arg0+0x38)' ]] || die "the SPEC is: $spec"
grep -q 'by libstore.so+count_hit' "$dir/stat" || die "the caller has no name"

UNCONTEND_COUNTERS=$spec "$build/uncontend" doctor "$dir/server" >"$dir/doctor" || die "the doctor fails"
grep -F 'libstore.so:count_hit would be replaced' "$dir/doctor" || die "the doctor: $(<"$dir/doctor")"

watch '^counter libstore.so:count_hit +[0-9]{6,} +add64' -o COUNTERS="$spec"
grep -qE 'hot locks|^lock_write ' "$dir/stat" && die "the lock is still there"
"$build/uncontend" run -o COUNTERS="$spec" -- "$dir/server" 4 1 >"$dir/answer" || die "$(<"$dir/answer")"
grep -F 'all of them counted' "$dir/answer" || die "$(<"$dir/answer")"
