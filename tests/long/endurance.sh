#!/bin/bash
# SPDX-License-Identifier: MIT
# claim: haproxy as a daemon with master and worker, preloaded, serves an hour of handshakes over
# reloads: none fails, and memory, mappings and descriptors of both stay what they were
# time: 200
#
#   tests/long/endurance.sh BUILDDIR      status 0 pass, 1 fail, 77 something is not installed
#
# UC_ENDURANCE_SECONDS=n: another time than an hour.

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/../servers/lib/ways.sh"
need_programs haproxy openssl python3
seconds=${UC_ENDURANCE_SECONDS:-3600}
between=15 # seconds from reload to reload

write_config() {
    cat >"$dir/haproxy.cfg" <<'END'
global
    nbthread 2
    maxconn 500
    hard-stop-after 10s
defaults
    mode http
    timeout connect 5s
    timeout client 20s
    timeout server 20s
frontend tls
    bind "127.0.0.1:${PORT}" ssl crt "${CERT}"
    http-request return status 200 content-type text/plain string "served\n"
END
    mkdir "$dir/empty"
    ((EUID)) || printf 'global\n    chroot %s\n    user nobody\n    group nogroup\n' "$dir/empty" >>"$dir/haproxy.cfg"
}

# shellcheck disable=SC2317 # until_true calls it
new_worker() {
    worker=$(ps -o pid= --ppid "$master" | tr -d ' ')
    [[ $worker && $worker != "$1" && $worker != *$'\n'* ]]
}

# PID: resident KiB, mappings, descriptors.
measure() {
    local fds=("/proc/$1/fd/"*)
    printf '%s %s %s' "$(awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status")" \
        "$(wc -l <"/proc/$1/maps")" "${#fds[@]}"
}

# What master and workers are waiting for while a load gets no answer, and what the machine does: once
# the load has given up, it can no longer be seen.
report_stall() {
    local pid task
    echo "no end within 3 s, after $served handshakes and $reloads reloads:"
    date '+%F %T'
    head -v -n 99 /proc/loadavg /proc/pressure/* 2>/dev/null
    for pid in $(tree_of "$master"); do
        for task in "/proc/$pid/task/"*; do
            echo "$task: $(grep State: "$task/status"), waits in $(<"$task/wchan")"
            cat "$task/syscall" "$task/stack" "$task/schedstat" 2>/dev/null
        done
        "$command" stat "$pid"
    done
    [[ ! $(type -P ss) ]] || ss -tanoi "( sport = :$server_port or dport = :$server_port )" | head -n 60
    ps -eo pid,stat,wchan:24,pcpu,comm --sort=-pcpu | head -n 25
    for pid in $(tree_of "$master"); do
        [[ ! $(type -P gdb) ]] || timeout 20 gdb -p "$pid" -batch -ex 'thread apply all backtrace'
    done
} >&2 2>&1

# The time that the tasks of worker and load were ready to run so far and had no CPU, in nanoseconds.
# On a busy machine it may be seconds at a stretch, and no lock has a part in it.
sum_delays() {
    local file wait
    delays=0
    for file in "/proc/$worker/task/"*/schedstat "/proc/$client/schedstat"; do
        { read -r _ wait _ <"$file"; } 2>/dev/null && delays=$((delays + wait))
    done
}

# VERSION: 500 handshakes, which take less than half a second. No load may stand for five seconds in
# which its tasks had nothing to do.
load_once() {
    local load begun before status took idle part='' reported=
    exec {load}< <(exec "$build/bench/tlsload" "-$1" -c 8 -n 500 -w 60 127.0.0.1 "$server_port" 2>&1)
    client=$!
    sum_delays
    begun=${EPOCHREALTIME/./} before=$delays
    until read -t 1 -r -u "$load" line; do
        status=$?
        ((status > 128)) || die "the load ended and said nothing"
        part+=$line # the second may be over in the middle of it
        sum_delays
        took=$((${EPOCHREALTIME/./} - begun))
        idle=$((took - (delays - before) / 1000))
        [[ $reported ]] || ((took < 3000000)) || { reported=yes && report_stall; }
        ((idle <= 5000000)) || die "after $served handshakes: $took us, of which it could run for $idle"
    done
    exec {load}<&-
    line=$part$line
    [[ $line =~ ^handshakes=500\ resumed=500\ full=0\ failed=0\  ]] || die "after $served handshakes: $line"
    [[ ! $reported ]] || echo "it ended after $((${EPOCHREALTIME/./} - begun)) us" >&2
    served=$((served + 500))
}

# Handshakes of both versions until the time has come; the first that fails ends it all.
load_until() {
    while ((SECONDS < $1)); do
        load_once 2
        load_once 3
    done
}

# What grows is larger at the end: the medians of the first quarter and of the last are compared, since
# each worker is another process, whose memory depends on how much it got to do (12 to 16 MB in one
# run). Memory may differ by an eighth, mappings by two, descriptors not at all.
judge() {
    python3 - "$dir/samples" <<'END' >&2
import statistics, sys
samples = [list(map(int, line.split())) for line in open(sys.argv[1])]
quarter = max(1, len(samples) // 4)
names = [f"{what} of the {process}" for process in ("master", "worker")
         for what in ("memory", "mappings", "descriptors")]
bad = False
for name, *values in zip(names, *samples):
    first, last = statistics.median(values[:quarter]), statistics.median(values[-quarter:])
    most = first * 1.125 if "memory" in name else first + 2 * ("mappings" in name)
    if last > most:
        bad = True
        print(f"{name}: {first} at first, {last} at last")
sys.exit(bad)
END
}

begin_test "$@"
[[ -e $build/bench/tlsload ]] || die "$build/bench/tlsload is not built"
make_certificate
write_config
settings_of drbg
served=0 reloads=0 worker=
until server_port=$(random_port) && ! accepts "$server_port"; do :; done
server_log=$dir/log
env "${settings[@]}" PORT="$server_port" CERT="$dir/site.pem" haproxy -W -D -p "$dir/haproxy.pid" \
    -f "$dir/haproxy.cfg" >"$server_log" 2>&1 || die "haproxy ended with status $?"
until_true "a pid file" test -s "$dir/haproxy.pid"
master=$(<"$dir/haproxy.pid")
until_true "a worker" new_worker ''
until_true "it accepts" accepts "$server_port"
for ((end = SECONDS + seconds; SECONDS < end; reloads++)); do
    next=$((SECONDS + between))
    load_until $((next < end ? next : end))
    printf '%s %s\n' "$(measure "$master")" "$(measure "$worker")" >>"$dir/samples"
    running "$master" || die "the master went away"
    kill -USR2 "$master"
    until_true "a new worker" new_worker "$worker"
done
cat "$dir/samples"
echo "$served handshakes, $reloads reloads"
judge || die "something grows"
kill -USR1 "$master"
gone_within 2000 "$master" || die "the master is still there 20 s after SIGUSR1"
rm -f "$dir/haproxy.pid"
