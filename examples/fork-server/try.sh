#!/bin/bash
# SPDX-License-Identifier: MIT
# Does what the README beside it says: the workers of a server that forks after it has drawn give out
# ids that are all distinct, by each engine, and their draws were served by the library:
# examples/fork-server/try.sh [BUILDDIR]
#
# shellcheck disable=SC2317 # start_on_free_port and until_true call what they are given
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/server-lib.sh
. "$here/../../scripts/server-lib.sh"
build=$(cd "${1-$here/../../build}" && pwd) || exit 1
connections=60

need_programs "${CC:-cc}" make setpriv
begin_servers
cp "$here/server.c" "$here/Makefile" "$dir"
make -s -C "$dir" MAKEFLAGS= server || exit 1
server_log=$dir/log

run_server() {
    in_background "$build/uncontend" run -o RANDOM="$engine" -- "$dir/server" "$1" 2 \
        >"$dir/parent" 2>"$server_log"
}

for engine in drbg vdso system; do
    start_on_free_port "server ($engine)" run_server "$server_log"
    : >"$dir/answers"
    workers=0
    for ((i = 0; i < connections || workers < 2; i++)); do
        ((i < 100 * connections)) || die "$engine: one worker took all connections"
        timeout 10 cat <"/dev/tcp/127.0.0.1/$server_port" >>"$dir/answers" || die "$engine: no answer"
        workers=$(cut -d' ' -f1 "$dir/answers" | sort -u | wc -l)
    done
    distinct=$(cat "$dir/parent" "$dir/answers" | cut -d' ' -f2 | sort -u | grep -cxE '[0-9a-f]{32}')
    ((distinct == i + 1)) || die "$engine: $distinct distinct ids of $((i + 1))"
    while read -r served worker; do
        "$build/uncontend" stat -j "$worker" >"$dir/stat" || die "$engine: stat of $worker"
        [[ $(<"$dir/stat") =~ '"getrandom_calls":'([0-9]+) ]] || die "stat: $(<"$dir/stat")"
        # The first connection was the one that asked whether there is a server.
        ((BASH_REMATCH[1] >= served)) || die "$engine: ${BASH_REMATCH[1]} draws for $served connections"
    done < <(cut -d' ' -f1 "$dir/answers" | sort | uniq -c)
    echo "$engine: $i connections to $workers workers, all ids distinct"
    end_server TERM 10
done
