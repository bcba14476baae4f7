#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's unbound, two read locks of shared tables a query and one for each cached record: under
# load and after it the answers are those of the plain server, many reads went the fast way, and it
# ends as it does plain.
#
#   tests/servers/unbound-locks.sh BUILDDIR      status 0 pass, 1 fail, 77 something is not installed

set -uo pipefail
export LC_ALL=C

root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=scripts/server-lib.sh
. "$root/scripts/server-lib.sh"
# shellcheck source=scripts/dns-lib.sh
. "$root/scripts/dns-lib.sh"

[[ $# == 1 ]] || die "usage: $0 BUILDDIR"
build=$(cd "$1" && pwd) || exit 1

need_programs "$dns_server" dnsperf python3 setpriv
for file in libuncontend.so uncontend; do
    [[ -e $build/$file ]] || die "$build/$file is not built"
done

counter() {
    local value
    value=$("$build/uncontend" stat "$server_pid" | awk -v name="$1" '$1 == name { print $2 }')
    printf '%s\n' "${value:-0}"
}

live_once() {
    local name=$1 fast
    shift
    settings=("$@")
    start_unbound "$name"
    python3 "$root/tests/servers/dns-answers.py" "$server_port" "$dir/queries" >"$dir/$name.first" ||
        die "$name: no answers"
    load_dns 1
    python3 "$root/tests/servers/dns-answers.py" "$server_port" "$dir/queries" >"$dir/$name.later" ||
        die "$name: no answers after the load"
    if [[ $name == on || $name == eager ]]; then
        fast=$(counter lock_read_fast)
        ((fast > queries / 2)) || die "$name: $fast fast read locks for $queries queries"
    fi
    end_server TERM 10
    printf '%s\n' "$server_status" >"$dir/$name.status"
    sed -E 's/[0-9]+/N/g' "$server_log" >"$dir/$name.said"
    [[ $name == plain ]] && return
    for what in first later status said; do
        diff -u "$dir/plain.$what" "$dir/$name.$what" >&2 || die "$name: '$what' differs"
    done
}

begin_servers
write_dns_files
live_once plain
live_once spin LD_PRELOAD="$build/libuncontend.so" UNCONTEND_SIGNAL=none UNCONTEND_LOCKS=spin
live_once on LD_PRELOAD="$build/libuncontend.so" UNCONTEND_SIGNAL=none
live_once eager LD_PRELOAD="$build/libuncontend.so" UNCONTEND_SIGNAL=none UNCONTEND_TEST_EAGER_BIAS=on
exit 0
