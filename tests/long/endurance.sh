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

# Handshakes of both versions until the time has come; the first that fails ends it all.
load_until() {
    local line version
    while ((SECONDS < $1)); do
        for version in 2 3; do
            line=$("$build/bench/tlsload" "-$version" -c 8 -n 500 127.0.0.1 "$server_port" 2>&1)
            [[ $line =~ ^handshakes=500\ resumed=500\ full=0\ failed=0\  ]] ||
                die "after $served handshakes and $reloads reloads: $line"
            served=$((served + 500))
        done
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
