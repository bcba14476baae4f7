#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's memcached with four threads, which gives up root: preloaded, it answers and prints what it
# answers and prints plain.
#
#   tests/servers/memcached.sh BUILDDIR   status 0 pass, 1 fail, 77 something is not installed
#
# shellcheck disable=SC2317 # start_on_free_port calls what it is given

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
need_programs memcached python3
clients=4 each=6000

run_memcached() {
    in_background env "${settings[@]}" memcached -t 4 -u nobody -l 127.0.0.1 -p "$1" -U 0 -v \
        >"$server_log" 2>&1
}

live() {
    server_log=$home/same/log
    start_on_free_port "memcached ($way)" run_memcached "$server_log"
    python3 "$here/memcached.py" "$server_port" $clients $each >"$home/same/answers" ||
        die "$way: $(<"$home/same/answers")"
    take_stock "$server_pid"
    stop_with TERM 0
}

begin_test "$@"
in_all_ways live
tell memcached $((clients * each))
