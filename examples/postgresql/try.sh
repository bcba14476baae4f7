#!/bin/bash
# SPDX-License-Identifier: MIT
# Does what the README beside it says: a database to throw away, uuids from two sessions, all
# distinct, and who made them: examples/postgresql/try.sh [BUILDDIR]
#
# shellcheck disable=SC2317 # until_true calls what it is given
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/server-lib.sh
. "$here/../../scripts/server-lib.sh"
build=$(cd "${1-$here/../../build}" && pwd) || exit 1
programs=$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -n 1)
uuids=1000

need_programs "$programs/postgres" "$programs/psql" setpriv
begin_servers
server_log=$dir/server.log

# PostgreSQL refuses to be root, and its user may not be able to reach the build tree.
mkdir "$dir/lib" "$dir/data" "$dir/socket"
cp "$build/libuncontend.so" "$build/libuncontend-rand.so" "$build/uncontend" "$dir/lib"
unset "${!PG@}"
owner=()
if ((EUID == 0)); then
    owner=(--reuid=postgres --regid=postgres --init-groups --)
    chmod 711 "$dir"
    chmod -R a+rX "$dir/lib"
    chown postgres: "$dir/data" "$dir/socket"
fi
cd / || exit 1

said=$(setpriv "${owner[@]}" "$programs/initdb" -D "$dir/data" -A trust -U tester -E UTF8 --no-locale \
    --no-sync 2>&1) || die "initdb: $said"
# SIGINT, when this script is killed: fast shutdown; TERM would wait for the sessions.
setpriv --pdeathsig INT "${owner[@]}" "$dir/lib/uncontend" run -o RAND_BYTES=on -o SIGNAL=none -- \
    "$programs/postgres" -D "$dir/data" -k "$dir/socket" -c listen_addresses= -c fsync=off \
    >"$server_log" 2>&1 &
server_pid=$!
remember "$server_pid"
ready() {
    running "$server_pid" || die "the server ended"
    grep -q 'ready to accept connections' "$server_log"
}
until_true 'the database is ready' ready

# Its uuids, then how many calls of RAND_bytes the session itself was served.
session() {
    "$programs/psql" -XAtq -h "$dir/socket" -U tester postgres -v ON_ERROR_STOP=1 >"$dir/$1" 2>&1 <<END
select gen_random_uuid() from generate_series(1, $uuids);
select pg_backend_pid() as pid \\gset
\\setenv PID :pid
\\! $dir/lib/uncontend stat -j \$PID
END
}
for name in first second; do
    session $name || die "psql: $(<"$dir/$name")"
    [[ $(<"$dir/$name") =~ '"rand_bytes_calls":'([0-9]+) ]] || die "stat: $(tail -n 3 "$dir/$name")"
    ((BASH_REMATCH[1] >= uuids)) || die "only ${BASH_REMATCH[1]} calls of RAND_bytes for $uuids uuids"
    echo "$name session: $uuids uuids, ${BASH_REMATCH[1]} calls of RAND_bytes"
done
distinct=$(cat "$dir/first" "$dir/second" | grep -E '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' | sort -u | wc -l)
((distinct == 2 * uuids)) || die "$distinct distinct uuids of $((2 * uuids))"
end_server INT 10
((server_status == 0)) || die "the server ended with status $server_status"
echo "all distinct"
