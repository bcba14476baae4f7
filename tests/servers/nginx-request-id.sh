#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's nginx, whose $request_id is 16 bytes of RAND_bytes, with that function taken over: the
# ids of two workers, which are forks of one master, are all distinct, each was served by us, and
# nginx says nothing that it does not say plain. Loaded without RAND_BYTES, nothing is served.
#
#   tests/servers/nginx-request-id.sh BUILDDIR   status 0 pass, 1 fail, 77 something not installed
#
# shellcheck disable=SC2317 # until_true and start_on_free_port call what they are given

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
connections=8 # open at the same time
requests=250  # of one connection
rounds=2      # at least
most_rounds=20

need_programs nginx

# With a listening socket of its own for each worker, the kernel deals the connections out.
write_config() {
    mkdir -p "$home"
    {
        printf 'daemon off;\nworker_processes 2;\npid %s/pid;\nerror_log %s/error.log notice;\n' \
            "$home" "$home"
        ((EUID)) || printf 'user nobody nogroup;\n'
        cat <<END
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path $home; proxy_temp_path $home; fastcgi_temp_path $home;
    uwsgi_temp_path $home; scgi_temp_path $home;
    server {
        listen 127.0.0.1:$1 reuseport;
        location / { add_header X-Id "\$pid \$request_id"; return 204; }
    }
}
END
    } >"$home/nginx.conf"
}

run_nginx() {
    write_config "$1"
    in_background "${@:2}" nginx -p "$home" -e "$home/error.log" -c "$home/nginx.conf" \
        >"$server_log" 2>&1
}

start_nginx() {
    server_log=$home.said
    start_on_free_port "nginx ($name)" run_nginx "$home/error.log" "$@"
}

write_requests() {
    local i
    for ((i = 1; i < requests; i++)); do printf 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'; done
    printf 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
}

# All is sent on all connections before anything is read, so that the workers run side by side.
ask_round() {
    local open=() i fd
    for ((i = 0; i < connections; i++)); do
        exec {fd}<>"/dev/tcp/127.0.0.1/$server_port" || die "$name: no connection"
        open+=("$fd")
        cat "$dir/requests" >&"$fd" || die "$name: cannot send"
    done
    for fd in "${open[@]}"; do
        timeout 10 cat <&"$fd" >>"$home.answers" || die "$name: no answers within 10 s"
        exec {fd}>&-
    done
    tr -d '\r' <"$home.answers" | sed -n 's/^X-Id: //p' >"$home.ids"
}

served() { [[ -s $home.ids ]] && cut -d' ' -f1 "$home.ids" | sort -u | wc -l; }

workers() { ps -o pid= --ppid "$server_pid" | tr -d ' ' | sort; }

check_ids() {
    local asked=$((round * connections * requests)) right distinct
    right=$(grep -cE '^[0-9]+ [0-9a-f]{32}$' "$home.ids")
    distinct=$(cut -d' ' -f2 "$home.ids" | sort -u | wc -l)
    ((right == asked)) || die "$name: $right ids of 32 hex digits to $asked requests"
    ((distinct == asked)) || die "$name: only $distinct distinct ids among $asked"
    diff <(workers) <(cut -d' ' -f1 "$home.ids" | sort -u) >&2 ||
        die "$name: these two are not the workers that are there, and those that answered"
}

calls_of() {
    local line
    line=$("$command" stat -j "$1" 2>&1) || die "$name: stat of worker $1: $line"
    [[ $line =~ '"rand_bytes_calls":'([0-9]+) ]] || die "$name: stat of worker $1: $line"
    calls=${BASH_REMATCH[1]}
}

# $1: what nginx is started by; whether its workers count every id, none, or cannot be read.
check_calls() {
    local worker ids
    for worker in $(workers); do
        ids=$(grep -c "^$worker " "$home.ids")
        case $1 in
            none)
                ! "$command" stat -j "$worker" >"$home.stat" 2>&1 ||
                    die "$name: stat of a plain worker: $(<"$home.stat")"
                ;;
            zero)
                calls_of "$worker"
                ((calls == 0)) || die "$name: $calls calls served, not asked for"
                ;;
            each)
                calls_of "$worker"
                ((calls >= ids)) || die "$name: worker $worker: $calls calls served, $ids ids"
                ;;
        esac
    done
}

# Which signals come merged or in which order is chance, what nginx has to say of them is not.
said_by() {
    sed -E -e '/ signal [0-9]+ \(SIG/d' -e 's/^[^[]*//' -e 's/[0-9]+/N/g' "$dir/$1/error.log" |
        sort -u
}

live_once() {
    local expected=$2 round
    name=$1
    home=$dir/$name
    shift 2
    start_nginx "$@"
    : >"$home.answers"
    for ((round = 1; ; round++)); do
        ask_round
        ((round >= rounds)) && [[ $(served) -ge 2 ]] && break
        ((round < most_rounds)) || die "$name: one worker took all connections"
    done
    check_ids
    check_calls "$expected"
    take_stock "$server_pid"
    kill -QUIT "$server_pid"
    gone_within 1000 "$server_pid" || die "$name: still there 10 s after SIGQUIT"
    wait "$server_pid"
    server_status=$?
    forget "$server_pid"
    ((server_status == 0)) || die "$name: exit status $server_status, expected 0"
    [[ $name == plain ]] && return
    diff -u "$dir/plain.said" "$home.said" >&2 || die "$name: what nginx prints differs"
    diff -u <(said_by plain) <(said_by "$name") >&2 || die "$name: nginx's log differs"
}

begin_test "$@"
write_requests >"$dir/requests"
live_once plain none env
way=off
live_once off zero "$command" run -o RAND_BYTES=off --
for engine in drbg vdso; do
    way=$engine
    live_once "$engine" each "$command" run -o RAND_BYTES=on -o RANDOM="$engine" --
done
tell "nginx, \$request_id" $((rounds * connections * requests))
exit 0
