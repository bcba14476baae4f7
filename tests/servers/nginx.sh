#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's nginx, preloaded, does what it does plain: SIGUSR1 reopens its logs, in the master and in
# a worker (and the dump comes with it), SIGHUP replaces the workers, SIGQUIT ends it. The workers,
# which are forks that give up root, are read from outside. Each claim is held against a plain run.
#
#   tests/servers/nginx.sh BUILDDIR      status 0 pass, 1 fail, 77 something is not installed
#
# shellcheck disable=SC2317 # until_true and start_on_free_port call what they are given

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
requests=20

need_programs nginx

write_config() {
    local port=$1
    mkdir -p "$home"
    # Where the user is given up, the worker has to be able to open the logs again.
    ((EUID)) || chmod 777 "$home"
    {
        printf 'daemon off;\nworker_processes 2;\npid %s/pid;\nerror_log %s/error.log notice;\n' \
            "$home" "$home"
        ((EUID)) || printf 'user nobody nogroup;\n'
        cat <<END
events { worker_connections 64; }
http {
    access_log $home/access.log;
    client_body_temp_path $home; proxy_temp_path $home; fastcgi_temp_path $home;
    uwsgi_temp_path $home; scgi_temp_path $home;
    server { listen 127.0.0.1:$port; location / { return 200 "served\n"; } }
}
END
    } >"$home/nginx.conf"
}

ask() {
    local answer
    exec {connection}<>"/dev/tcp/127.0.0.1/$server_port" || die "$name: no connection"
    printf 'GET /%s HTTP/1.0\r\n\r\n' "$1" >&"$connection"
    answer=$(timeout 10 cat <&"$connection")
    exec {connection}>&-
    [[ $answer == 'HTTP/1.1 200 '*served ]] || die "$name: answer to /$1: '$answer'"
}

workers() { ps -o pid= --ppid "$server_pid" | tr -d ' ' | sort -n; }
has_workers() { [[ $(workers | wc -l) == "$1" ]]; }
logged() { [[ -s $home/access.log ]] && grep -q "GET /$1 " "$home/access.log"; }
exists() { [[ -e $1 ]]; }

run_nginx() {
    write_config "$1"
    in_background env "${settings[@]}" nginx -p "$home" -e "$home/error.log" \
        -c "$home/nginx.conf" >"$server_log" 2>&1
}

start_nginx() {
    server_log=$home.said
    start_on_free_port "nginx ($name)" run_nginx "$home/error.log"
}

# What was asked before the signal is in the old file, what is asked after it in a new one.
reopen_logs() {
    local turn=$1 pid=$2
    ask "before-$turn"
    until_true "$name: the request is logged" logged "before-$turn"
    mv "$home/access.log" "$home/access.log.$turn"
    kill -USR1 "$pid" || die "$name: nginx went away"
    until_true "$name: a log of its own after SIGUSR1" exists "$home/access.log"
}

dumps_of() { grep -c ' program nginx$' "$home/dump.$1" 2>/dev/null; }

live_once() {
    name=$1
    home=$dir/$name
    local old i worker
    shift
    settings=("$@")
    start_nginx
    until_true "$name: two workers" has_workers 2
    reopen_logs 1 "$server_pid"
    until_true "$name: workers reopen, too" asked_after 1
    for ((i = 0; i < requests; i++)); do ask "load-$i"; done
    workers >"$home.workers"
    [[ ${on_workers-} ]] && "$on_workers"

    old=$(workers)
    kill -HUP "$server_pid"
    until_true "$name: new workers after SIGHUP" other_workers "$old"
    ask "after-reload"
    for worker in $(workers); do
        kill -USR1 "$worker"
        running "$worker" || die "$name: SIGUSR1 ended a worker"
    done
    ask "after-workers-reopened"
    until_true "$name: the request is logged" logged "after-workers-reopened"

    take_stock "$server_pid"
    kill -QUIT "$server_pid"
    gone_within 1000 "$server_pid" || die "$name: still there 10 s after SIGQUIT"
    wait "$server_pid"
    server_status=$?
    forget "$server_pid"
    ((server_status == 0)) || die "$name: exit status $server_status, expected 0"
    cat "$home"/access.log* | sed -n 's/.*"GET \(.*\) HTTP.*" \(.*\) .*/\1 \2/p' |
        grep -v '^/after-1-' | sort >"$home.asked"
}

# Which worker answers is chance, and each reopens when it gets to it.
asked_after() {
    ask "after-$1-$((asked++))"
    grep -q "GET /after-$1-" "$home/access.log"
}
asked=0

other_workers() {
    local now
    now=$(workers)
    [[ $(wc -w <<<"$now") == 2 && -z $(comm -12 <(echo "$1") <(echo "$now")) ]]
}

look_at_workers() {
    local worker line
    for worker in $(<"$home.workers"); do
        line=$("$command" stat -j "$worker" 2>&1) || die "stat of worker $worker: $line"
        [[ $line == *'"program":"nginx"'*'"forks":1,'* ]] || die "stat of worker $worker: $line"
    done
}

begin_test "$@"
live_once plain
on_workers=look_at_workers
settings_of vdso
way=vdso
live_once loaded "${settings[@]}" UNCONTEND_DUMP_FILE="$dir/loaded/dump.%p"
diff -u "$dir/plain.asked" "$dir/loaded.asked" >&2 || die "the logs differ"
diff -u "$dir/plain.said" "$dir/loaded.said" >&2 || die "what nginx says differs"
[[ $(dumps_of "$server_pid") == 1 ]] || die "the master left $(dumps_of "$server_pid") dumps, not 1"
files=$(find "$dir/loaded" -name 'dump.*' | wc -l)
((files == 3)) || die "$files processes left a dump, expected 3: the master and two workers"
on_workers=
tell nginx $((requests + 4))
settings_of drbg
live_once untouched "${settings[@]}" UNCONTEND_SIGNAL=none \
    UNCONTEND_DUMP_FILE="$dir/untouched/dump.%p"
diff -u "$dir/plain.asked" "$dir/untouched.asked" >&2 || die "the logs differ with UNCONTEND_SIGNAL=none"
diff -u "$dir/plain.said" "$dir/untouched.said" >&2 || die "what nginx says differs with UNCONTEND_SIGNAL=none"
[[ -z $(find "$dir/untouched" -name 'dump.*') ]] || die "a dump with UNCONTEND_SIGNAL=none"
exit 0
