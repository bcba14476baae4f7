#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's unbound with two threads, in front of another one that knows the answers: preloaded, it
# draws its question numbers and ports, shares its cache by its locks, reloads, and answers and logs
# what it does plain.
#
#   tests/servers/unbound.sh BUILDDIR     status 0 pass, 1 fail, 77 something is not installed
#
# shellcheck disable=SC2317 # start_on_free_port calls what it is given

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
need_programs unbound python3
names=1500

# PORT FILE: what both have in common.
head_of() {
    printf 'server:\n interface: 127.0.0.1\n port: %s\n do-daemonize: no\n use-syslog: no\n' "$1"
    printf ' logfile: ""\n pidfile: ""\n verbosity: 1\n directory: "%s"\n module-config: "iterator"\n' "$home"
    printf ' do-ip6: no\n do-not-query-localhost: no\n num-threads: 2\n local-zone: "test." nodefault\n'
    if ((EUID)); then printf ' username: ""\n chroot: ""\n'; else
        printf ' username: nobody\n chroot: "%s"\n' "$home"
    fi
}

run_source() {
    local i
    {
        head_of "$1"
        printf ' local-zone: "test." static\n'
        for ((i = 0; i < names; i += 1)); do
            ((i % 10 == 9)) || printf ' local-data: "n%d.test. A 10.1.%d.%d"\n' $i $((i / 250)) $((i % 250))
        done
        printf 'remote-control:\n control-enable: no\n'
    } | grep -v nodefault >"$home/source.conf"
    in_background unbound -p -d -c "$home/source.conf" >"$server_log" 2>&1
}

run_front() {
    {
        head_of "$1"
        printf 'remote-control:\n control-enable: no\n'
        printf 'forward-zone:\n name: "test."\n forward-addr: 127.0.0.1@%s\n' "$source_port"
    } >"$home/front.conf"
    in_background env "${settings[@]}" unbound -p -d -c "$home/front.conf" >"$server_log" 2>&1
}

live() {
    local source_pid
    chmod 755 "$home"
    server_log=$home/source.log
    start_on_free_port "the source of names ($way)" run_source "$server_log"
    source_pid=$server_pid
    source_port=$server_port
    server_log=$home/front.log
    start_on_free_port "unbound ($way)" run_front "$server_log"
    python3 "$here/dns.py" "$server_port" $names 6 >"$home/same/answers" || die "$way: no answers"
    take_stock "$server_pid"
    kill -HUP "$server_pid"
    until_true "$way: reload" grep -q 'Restart of unbound' "$server_log"
    until_true "$way: it listens again" accepts "$server_port"
    python3 "$here/dns.py" "$server_port" 200 4 >>"$home/same/answers" || die "$way: no answers"
    stop_with TERM 0
    # Without times and figures.
    sed -E 's/^\[[0-9]+\] unbound\[[0-9:]+\] //; s/[0-9.]+/N/g' "$server_log" | grep -v 'histogram\|recursion\|usec\|lower(sec\|median\|^info: *N *N N$' |
        sort -u >"$home/same/log"
    server_pid=$source_pid
    stop_with TERM 0
}

begin_test "$@"
in_all_ways live
tell unbound $((3 * names + 600))
