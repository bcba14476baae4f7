#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's haproxy with an external check, a program that it forks and executes for each look at a
# server, which inherits the preload: the server goes down and up by what the program says, and what
# haproxy logs of it is what it logs plain.
#
#   tests/servers/haproxy-check.sh BUILDDIR   status 0 pass, 1 fail, 77 something not installed
#
# shellcheck disable=SC2317 # start_on_free_port calls what it is given

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
need_programs haproxy curl openssl
requests=100

write_config() {
    cat >"$home/haproxy.cfg" <<END
global
    nbthread 2
    external-check
    insecure-fork-wanted
    log stdout format short local0 notice
defaults
    mode http
    log global
    timeout check 60s
    timeout connect 5s
    timeout client 20s
    timeout server 20s
listen front
    bind "127.0.0.1:\${PORT}"
    option external-check
    external-check command $home/check
    server behind unix@$home/socket check inter 300ms rise 1 fall 1
frontend behind
    bind "unix@$home/socket"
    http-request return status 200 content-type text/plain lf-string "served %[uuid()]\n"
END
    # The status to give is in a file; each look is noted with what a child of haproxy gets to see.
    cat >"$home/check" <<END
#!/bin/sh
PATH=/usr/bin:/bin
echo "\$HAPROXY_PROXY_NAME \$HAPROXY_SERVER_NAME \$# \$(date +%Y | cksum)" >>$home/looks
exit \$(cat $home/health)
END
    chmod 755 "$home/check"
}

went() { [[ $(grep -c "Server front/behind is $1" "$server_log") -ge 1 ]]; }
looked() { [[ -s $home/looks ]]; }

live() {
    local i
    write_config
    echo 0 >"$home/health"
    start_haproxy "$way" -f "$home/haproxy.cfg"
    until_true "$way: a look at the server" looked
    for ((i = 0; i < requests; i++)); do
        curl -sS --max-time 10 "http://127.0.0.1:$server_port/" || die "$way: request $i"
    done | cut -d' ' -f2 >"$home/ids"
    all_distinct "$home/ids" '^[0-9a-f-]{36}$' $requests
    echo 1 >"$home/health"
    until_true "$way: the server goes down" went DOWN
    curl -s --max-time 10 -o "$home/same/down" -w '%{http_code}\n' "http://127.0.0.1:$server_port/" >"$home/same/code"
    echo 0 >"$home/health"
    until_true "$way: the server comes up" went UP
    curl -s --max-time 10 -o "$home/up" -w '%{http_code}\n' "http://127.0.0.1:$server_port/" >>"$home/same/code"
    take_stock "$server_pid"
    stop_with TERM 143
    sort -u "$home/looks" >"$home/same/looks"
    sed -E 's/[0-9]+ms/Nms/; s/\([0-9]+\)/(PID)/' "$server_log" | grep -v 'Proxy .* stopped\|exited' | sort -u >"$home/same/log"
}

begin_test "$@"
make_certificate
in_all_ways live
tell 'haproxy, external check' $((requests + 2))
