#!/bin/bash
# SPDX-License-Identifier: MIT
# Does what the README beside it says: starts haproxy with the library, resumes TLS sessions with
# tickets, and reads from outside what that took: examples/haproxy/try.sh [BUILDDIR]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/server-lib.sh
. "$here/../../scripts/server-lib.sh"
build=$(cd "${1-$here/../../build}" && pwd) || exit 1
handshakes=20

need_programs haproxy openssl setpriv
begin_servers
make_certificate

wrapper=("$build/uncontend" run -o LOCKS=on --)
start_haproxy example -f "$here/haproxy.cfg"

connect() {
    timeout 10 openssl s_client -connect "127.0.0.1:$server_port" "$@" </dev/null 2>"$dir/client.err" ||
        die "openssl s_client: $(<"$dir/client.err")"
}

# Read locks that wrote nothing that is shared, so far. Starting up takes some hundred thousand.
fast_locks() {
    "$build/uncontend" stat "$server_pid" >"$dir/stat" || die "stat does not work"
    awk '$1 == "lock_read_fast" { print $2 }' "$dir/stat"
}

connect -tls1_2 -sess_out "$dir/ticket" >/dev/null
before=$(fast_locks) || exit 1
for ((i = 0; i < handshakes; i++)); do
    connect -tls1_2 -sess_in "$dir/ticket" >"$dir/client.out"
    grep -q '^Reused, TLSv1.2' "$dir/client.out" || die "a session was not resumed"
done

after=$(fast_locks) || exit 1
cat "$dir/stat"
fast=$((${after:-0} - ${before:-0}))
((fast > handshakes)) || die "only $fast read locks took the fast path"

# haproxy's own meaning of the signal: it stops softly, after the dump.
end_server USR1 10
grep -q 'Proxy tls stopped' "$server_log" || die "haproxy did not stop softly"
((server_status == 0)) || die "haproxy ended with status $server_status"
grep -q "^uncontend .* pid $server_pid " "$server_log" || die "there is no dump"
echo "$handshakes sessions resumed: $fast read locks without a shared write"
