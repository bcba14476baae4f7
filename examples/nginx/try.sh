#!/bin/bash
# SPDX-License-Identifier: MIT
# Does what the README beside it says: starts nginx with RAND_bytes taken over, asks for request ids,
# which are all distinct, and reads from outside who made them: examples/nginx/try.sh [BUILDDIR]
#
# shellcheck disable=SC2317 # start_on_free_port calls run_nginx
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/server-lib.sh
. "$here/../../scripts/server-lib.sh"
build=$(cd "${1-$here/../../build}" && pwd) || exit 1
requests=200

need_programs nginx ps setpriv
begin_servers
chmod 711 "$dir" # for workers that gave up root
mkdir "$dir/ids"
chmod 755 "$dir/ids"
server_log=$dir/nginx.log

run_nginx() {
    sed "s/127.0.0.1:8081/127.0.0.1:$1/" "$here/nginx.conf" >"$dir/nginx.conf"
    in_background "$build/uncontend" run -o RAND_BYTES=on -- \
        nginx -p "$dir/ids/" -e stderr -c "$dir/nginx.conf" >"$server_log" 2>&1
}
start_on_free_port nginx run_nginx "$server_log"

for ((i = 0; i < requests; i++)); do
    exec 3<>"/dev/tcp/127.0.0.1/$server_port" || die "no connection"
    printf 'GET / HTTP/1.0\r\n\r\n' >&3
    tail -n 1 <&3
    exec 3>&-
done >"$dir/answers"
distinct=$(grep -xE '[0-9a-f]{32}' "$dir/answers" | sort -u | wc -l)
((distinct == requests)) || die "$requests requests got $distinct distinct ids"

calls=0
for worker in $(ps -o pid= --ppid "$server_pid"); do
    "$build/uncontend" stat -j "$worker" >"$dir/stat" || die "stat of worker $worker does not work"
    [[ $(<"$dir/stat") =~ '"rand_bytes_calls":'([0-9]+) ]] || die "stat does not know: $(<"$dir/stat")"
    echo "worker $worker: ${BASH_REMATCH[1]} calls of RAND_bytes"
    calls=$((calls + BASH_REMATCH[1]))
done
((calls >= requests)) || die "only $calls calls of RAND_bytes were taken over"
end_server QUIT 10
((server_status == 0)) || die "nginx ended with status $server_status"
echo "$requests requests, $distinct distinct ids"
