#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's haproxy, preloaded, does what it does plain: resumes every handshake, says the same,
# stops softly on SIGUSR1 (and the dump comes with it), and as a daemon with master and worker it
# survives reloads without gathering anything. Each claim is a comparison with a plain run.
#
#   tests/servers/haproxy.sh BUILDDIR      status 0 pass, 1 fail, 77 something is not installed

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
count=200
reloads=4

need_programs haproxy openssl

write_config() {
    cat >"$dir/haproxy.cfg" <<'END'
global
    nbthread 2
    maxconn 500
    tune.ssl.cachesize 0
    hard-stop-after 20s
    # Lines start with <LEVEL>, what haproxy says on stderr starts with [LEVEL]: not to be
    # mistaken for lines of the dump. Not the access log: haproxy drops lines of it when two
    # threads want to write at the same time.
    log stdout format short local0 notice

defaults
    mode http
    log global
    option dontlognull
    timeout connect 5s
    timeout client 20s
    timeout server 20s
    timeout http-request 20s

frontend tls
    bind "127.0.0.1:${PORT}" ssl crt "${CERT}"
    # Answers "100 Continue" at once and then keeps the request until its body has come.
    http-request wait-for-body time 20s if METH_POST
    http-request return status 200 content-type text/plain string "served\n"
END
    # What a packaged haproxy does too: no files in sight, no privileges.
    mkdir "$dir/empty"
    if ((EUID == 0)); then
        printf 'global\n    chroot %s\n    user nobody\n    group nogroup\n' "$dir/empty"
    fi >"$dir/confined.cfg"
}

hold_request() {
    local line
    coproc HELD {
        exec setpriv --pdeathsig TERM openssl s_client -quiet \
            -connect "127.0.0.1:$server_port" 2>/dev/null
    }
    # shellcheck disable=SC2153 # coproc sets it
    held_pid=$HELD_PID
    remember "$held_pid"
    exec {held_in}<&"${HELD[0]}" {held_out}>&"${HELD[1]}"
    printf '%s\r\n' 'POST / HTTP/1.1' 'Host: localhost' 'Content-Length: 1' \
        'Expect: 100-continue' 'Connection: close' '' >&"$held_out"
    read -r -t 10 line <&"$held_in" || die "no interim answer to a request that waits"
    [[ $line == 'HTTP/1.1 100 '* ]] || die "interim answer: expected 100, got '$line'"
}

release_request() {
    local answer
    printf x >&"$held_out"
    answer=$(timeout 10 cat <&"$held_in")
    exec {held_in}<&- {held_out}>&-
    wait "$held_pid" 2>/dev/null
    forget "$held_pid"
    [[ $answer == *'HTTP/1.1 200 '*served* ]] ||
        die "the request that was open at the soft stop got '$answer'"
}

resume_handshakes() {
    local version=$1 how_many=$2 line
    line=$("$tlsload" "-$version" -c 8 -n "$how_many" 127.0.0.1 "$server_port" 2>&1)
    [[ $line =~ ^handshakes=$how_many\ resumed=$how_many\ full=0\ failed=0\  ]] ||
        die "$how_many handshakes of TLS 1.$version, all to be resumed: $line"
}

stopped_its_proxy() { grep -q '^\[WARNING\].*Proxy tls stopped' "$server_log"; }

# One life of a foreground haproxy: serve, soft stop with a request open, end.
live_once() {
    local name=$1 hundredths=1000
    shift
    settings=("$@")
    start_haproxy "$name" -f "$dir/haproxy.cfg"
    resume_handshakes 2 "$count"
    resume_handshakes 3 "$count"
    hold_request
    take_stock "$server_pid"
    kill -USR1 "$server_pid"
    until stopped_its_proxy; do
        running "$server_pid" || die "$name: haproxy ended at SIGUSR1 with a request open"
        ((hundredths-- > 0)) || die "$name: no soft stop 10 s after SIGUSR1"
        pause
    done
    accepts "$server_port" && die "$name: still accepts connections after the soft stop"
    running "$server_pid" || die "$name: haproxy did not wait for the open request"
    release_request
    gone_within 1500 "$server_pid" || die "$name: haproxy does not end after its last request"
    wait "$server_pid"
    server_status=$?
    forget "$server_pid"
    ((server_status == 0)) || die "$name: exit status $server_status, expected 0"

    sed -E 's/\([0-9]+\)/(PID)/' "$server_log" >"$dir/$name.said"
}

same() {
    local what=$1
    shift
    diff -u "$@" >"$dir/diff" && return
    say "--- $what, plain and preloaded:"
    cat "$dir/diff" >&2
    server_log=
    die "$what differs"
}

check_foreground() {
    local dump=$dir/dump.txt
    live_once plain
    settings_of drbg
    way=drbg
    live_once to-file "${settings[@]}" UNCONTEND_DUMP_FILE="$dump"
    settings_of vdso
    way=vdso
    live_once loaded "${settings[@]}"
    tell haproxy $((2 * count + 2))

    # All handshakes, a first one for each version, the request that was held, and the question
    # whether the server is up.
    grep -q "Proxy tls stopped (cumulated conns: FE: $((2 * count + 4))," "$dir/plain.said" ||
        die "plain: expected $((2 * count + 4)) connections: $(<"$dir/plain.said")"
    same "all that haproxy says (dump to a file)" "$dir/plain.said" "$dir/to-file.said"
    grep '^[[<]' "$dir/loaded.said" >"$dir/loaded.haproxy"
    same "what haproxy says" "$dir/plain.said" "$dir/loaded.haproxy"

    check_dump "on stderr" "$dir/loaded.said"
    check_dump "in the file" "$dump"
}

# A dump that came, once, and shows that the locks of this haproxy went the fast way.
check_dump() {
    local where=$1 file=$2 fast
    fast=$(awk '$1 == "lock_read_fast" { print $2 }' "$file")
    [[ $fast =~ ^[0-9]+$ ]] || die "the dump $where: expected one lock_read_fast line, got '$fast'"
    ((fast > count)) || die "the dump $where: lock_read_fast $fast, expected more than $count"
}

workers() { ps -o pid= --ppid "$master" | tr -d ' '; }

descriptors() {
    local link
    for link in "/proc/$1/fd/"*; do readlink "$link"; done | sed -E 's/:\[[0-9]+\]//' | sort
}

wait_for_new_worker() {
    local old=$1 hundredths=1500
    until worker=$(workers) && [[ $worker && $worker != "$old" && $worker != *$'\n'* ]] &&
        accepts "$server_port"; do
        running "$master" || die "the master went away"
        ((hundredths-- > 0)) || die "workers after 15 s: '$worker', before: '$old'"
        pause
    done
}

# One life of a daemon: master and worker, some reloads, soft stop through the master.
daemon_once() {
    local name=$1 pid_file=$dir/$1.pid hundredths=1000 i
    shift
    until server_port=$(random_port) && ! accepts "$server_port"; do :; done
    server_log=$dir/$name.log
    env "$@" PORT="$server_port" CERT="$dir/site.pem" haproxy -W -D -p "$pid_file" \
        -f "$dir/haproxy.cfg" -f "$dir/confined.cfg" >"$server_log" 2>&1 ||
        die "$name: haproxy -W -D ended with status $?"
    # The command that was started may end before the master has written the file.
    until [[ -s $pid_file ]]; do
        ((hundredths-- > 0)) || die "$name: no pid in $pid_file after 10 s"
        pause
    done
    master=$(<"$pid_file")
    wait_for_new_worker ''
    for ((i = 0; i <= reloads; i++)); do
        resume_handshakes 3 50
        descriptors "$master" >"$dir/$name.master.$i"
        descriptors "$worker" >"$dir/$name.worker.$i"
        take_stock "$worker"
        ((i < reloads)) || break
        kill -USR2 "$master"
        wait_for_new_worker "$worker"
    done
}

end_daemon() {
    local name=$1
    kill -USR1 "$master"
    gone_within 2000 "$master" || die "$name: the master is still there 20 s after SIGUSR1"
    rm -f "$dir/$name.pid"
    [[ -e /proc/$worker ]] && die "$name: a worker outlived its master"
    return 0
}

check_daemon() {
    local figures i who
    for way in plain drbg vdso; do
        settings_of "$way"
        daemon_once "daemon-$way" "${settings[@]}"
        if [[ $way != plain ]]; then
            # The worker sits in an empty directory as nobody; root reads its figures from outside.
            figures=$("$command" stat "$worker" 2>&1)
            awk '$1 ~ /^lock_read_/ { n += $2 } END { exit !n }' <<<"$figures" ||
                die "uncontend stat of a confined worker shows no read locks: $figures"
        fi
        end_daemon "daemon-$way"
        sed -E 's/\(?\[?\b[0-9]+\]?\)?/N/g' "$dir/daemon-$way.log" >"$dir/daemon-$way.said"
        same "$way: what the daemon says" "$dir/daemon-plain.said" "$dir/daemon-$way.said"
        for who in master worker; do
            for ((i = 0; i <= reloads; i++)); do
                same "$way: the $who's descriptors after $i reloads" \
                    "$dir/daemon-plain.$who.$i" "$dir/daemon-$way.$who.$i"
            done
        done
    done
    tell 'haproxy -W -D, reloads' $((50 * (reloads + 1)))
}

begin_test "$@"
tlsload=$build/bench/tlsload
[[ -e $tlsload ]] || die "$tlsload is not built"
make_certificate
write_config
check_foreground
check_daemon
