#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's Redis with threads for its connections and a snapshot by fork: preloaded, it answers and
# logs what it answers and logs plain.
#
#   tests/servers/redis.sh BUILDDIR      status 0 pass, 1 fail, 77 something is not installed
#
# shellcheck disable=SC2317 # start_on_free_port calls what it is given

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
need_programs redis-server redis-cli redis-benchmark
each=10000 each_alone=80000

# PORT THREADS
run_redis() {
    in_background env "${settings[@]}" redis-server --port "$1" --bind 127.0.0.1 --dir "$home" \
        --save '' --io-threads "$2" --io-threads-do-reads yes >"$server_log" 2>&1
}

ask() { timeout 20 redis-cli -p "$server_port" "$@"; }

questions() {
    local i
    for ((i = 0; i < 200; i++)); do
        printf 'SET key:%d %d\nINCRBY key:%d %d\nAPPEND log:%d x%d\n' $i $i $i $((i * 7)) $((i % 9)) $i
        printf 'ZADD z %d m%d\nHSET h f%d %d\nLPUSH l %d\nPFADD p %d\nSADD s %d\n' $i $i $i $i $i $i $((i % 50))
    done
    printf 'ZRANGE z 10 20 WITHSCORES\nLRANGE l 0 5\nHGET h f77\nSCARD s\nPFCOUNT p\nGET log:3\nBITCOUNT log:3\n'
    printf 'EVAL "return redis.sha1hex(KEYS[1])" 1 abc\nSETRANGE big 100000 x\nSTRLEN big\n'
    printf 'MULTI\nINCR n\nINCR n\nEXEC\nNOSUCH\nGET l\nSRANDMEMBER none\n'
}

saved() { [[ $(ask INFO persistence) == *rdb_bgsave_in_progress:0* && -s $home/dump.rdb ]]; }

load() {
    redis-benchmark -p "$server_port" -q -c 20 -P 4 --threads 2 -n "$1" -t set,get,incr,lpush \
        >"$home/bench" 2>&1 || die "$way: redis-benchmark: $(<"$home/bench")"
}

# The threads for connections wait for each other without sleeping: nine tenths of the CPU time, which
# goes by how busy the machine is. So another server, without them, is there for the ratio.
measure() {
    server_log=$home/alone.log
    start_on_free_port "Redis without threads ($way)" run_redis "$server_log" 1
    load $each_alone
    rm -f "$dir/ticks.$way"
    take_stock "$server_pid"
    stop_with TERM 0
}

live() {
    server_log=$home/log
    start_on_free_port "Redis ($way)" run_redis "$server_log" 2
    questions | ask >"$home/same/answers"
    load $each
    ask BGSAVE >>"$home/same/answers"
    until_true "$way: a snapshot" saved
    take_stock "$server_pid"
    ask DBSIZE >>"$home/same/answers"
    stop_with TERM 0
    # Without process, time, figures, and the art that shows the port.
    sed -nE 's/^[0-9]+:[A-Z] .* ([*#.-]) /\1 /p' "$server_log" | sed -E 's/[0-9]+/N/g' | sort -u >"$home/same/log"
    measure
}

begin_test "$@"
in_all_ways live
tell redis $((4 * (each + each_alone)))
