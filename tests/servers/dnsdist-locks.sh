#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's dnsdist, whose packet cache, rules and pools are behind std::shared_mutex: under load and
# after it the answers are those of the plain server, most reads went the fast way, and it ends as
# it does plain.
#
#   tests/servers/dnsdist-locks.sh BUILDDIR      status 0 pass, 1 fail, 77 something is not installed

set -uo pipefail
export LC_ALL=C

root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=scripts/server-lib.sh
. "$root/scripts/server-lib.sh"
# shellcheck source=scripts/dns-lib.sh
. "$root/scripts/dns-lib.sh"

[[ $# == 1 ]] || die "usage: $0 BUILDDIR"
build=$(cd "$1" && pwd) || exit 1

need_programs "$dns_server" dnsdist dnsperf python3 setpriv
for file in libuncontend.so uncontend; do
    [[ -e $build/$file ]] || die "$build/$file is not built"
done

check_fast() {
    local fast
    fast=$("$build/uncontend" stat "$server_pid" | awk '$1 == "lock_read_fast" { print $2 }')
    ((${fast:-0} > queries)) || die "$1: ${fast:-0} fast read locks for $queries queries"
}

# Some of its threads start when they like, and say so when they do.
said_by() { sed -E 's/[0-9]+/N/g' "$1" | sort; }

live_once() {
    local name=$1
    shift
    settings=("$@")
    start_dnsdist "$name" "$resolver_port"
    python3 "$root/tests/servers/dns-answers.py" "$server_port" "$dir/queries" >"$dir/$name.first" ||
        die "$name: no answers"
    load_dns 1
    python3 "$root/tests/servers/dns-answers.py" "$server_port" "$dir/queries" >"$dir/$name.later" ||
        die "$name: no answers after the load"
    if [[ $name == on || $name == eager ]]; then check_fast "$name"; fi
    end_server TERM 10
    printf '%s\n' "$server_status" >"$dir/$name.status"
    said_by "$server_log" >"$dir/$name.said"
    [[ $name == plain ]] && return
    for what in first later status said; do
        diff -u "$dir/plain.$what" "$dir/$name.$what" >&2 || die "$name: '$what' differs"
    done
}

begin_servers
write_dns_files
settings=()
start_unbound resolver
resolver_port=$server_port
live_once plain
live_once spin LD_PRELOAD="$build/libuncontend.so" UNCONTEND_SIGNAL=none UNCONTEND_LOCKS=spin
live_once on LD_PRELOAD="$build/libuncontend.so" UNCONTEND_SIGNAL=none
live_once eager LD_PRELOAD="$build/libuncontend.so" UNCONTEND_SIGNAL=none UNCONTEND_TEST_EAGER_BIAS=on
exit 0
