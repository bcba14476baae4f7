#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's Apache, preloaded, does what it does plain: SIGUSR1 restarts it gracefully, its children
# are new ones and its log says so, a request that is open is answered (and the dump comes with the
# signal). Where SIGWINCH is chosen for the dump, it still is Apache's graceful stop. Each claim is
# held against a plain run.
# waits
#
#   tests/servers/apache.sh BUILDDIR      status 0 pass, 1 fail, 77 something is not installed
#
# shellcheck disable=SC2317 # until_true and start_on_free_port call what they are given

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
modules=/usr/lib/apache2/modules
restarts=3

need_programs apache2

write_config() {
    mkdir -p "$home/www"
    chmod 755 "$home" "$home/www"
    echo served >"$home/www/page"
    {
        printf 'LoadModule mpm_event_module %s/mod_mpm_event.so\n' "$modules"
        printf 'LoadModule authz_core_module %s/mod_authz_core.so\n' "$modules"
        printf 'User nobody\nGroup nogroup\n'
        printf 'ServerName localhost\nListen 127.0.0.1:%s\nServerRoot %s\n' "$1" "$home"
        printf 'PidFile %s/pid\nErrorLog %s/error.log\nDocumentRoot %s/www\n' "$home" "$home" "$home"
        printf 'StartServers 1\nServerLimit 2\nThreadsPerChild 4\nMaxRequestWorkers 8\n'
        printf 'ThreadLimit 4\nMinSpareThreads 1\nMaxSpareThreads 8\n'
        printf 'DefaultRuntimeDir %s\nMutex default:%s\n' "$home" "$home"
    } >"$home/apache.conf"
}

run_apache() {
    write_config "$1"
    in_background env "${settings[@]}" apache2 -D FOREGROUND -f "$home/apache.conf" \
        >"$server_log" 2>&1
}

start_apache() {
    server_log=$home.said
    start_on_free_port "Apache ($name)" run_apache "$home/error.log"
}

open_request() {
    exec {connection}<>"/dev/tcp/127.0.0.1/$server_port" || die "$name: no connection"
    printf 'GET /page HTTP/1.0\r\n' >&"$connection"
}

end_request() {
    local answer
    printf '\r\n' >&"$connection"
    answer=$(timeout 10 cat <&"$connection")
    exec {connection}>&-
    [[ $answer == 'HTTP/1.1 200 '*served ]] || die "$name: answer '$answer'"
}

children() { ps -o pid= --ppid "$server_pid" | tr -d ' ' | sort -n; }
said_times() { [[ $(grep -c "$1" "$home/error.log") == "$2" ]]; }
resumed_times() { said_times 'resuming normal operations' "$1"; }

# Started, some graceful restarts with a request open over each, a graceful stop.
live_once() {
    name=$1
    home=$dir/$name
    local i old
    shift
    settings=("$@")
    start_apache
    until_true "$name: it runs" resumed_times 1
    for ((i = 1; i <= restarts; i++)); do
        old=$(children)
        open_request
        kill -USR1 "$server_pid" || die "$name: Apache went away"
        until_true "$name: graceful restart $i" resumed_times $((i + 1))
        end_request
        until_true "$name: the children before restart $i are gone" none_of "$old"
        open_request
        end_request
    done
    said_times 'SIGUSR1 received. *Doing graceful restart' "$restarts" ||
        die "$name: the log does not speak of $restarts restarts"
    take_stock "$server_pid"
    kill -WINCH "$server_pid"
    gone_within 1000 "$server_pid" || die "$name: still there 10 s after SIGWINCH"
    wait "$server_pid"
    server_status=$?
    forget "$server_pid"
    ((server_status == 0)) || die "$name: exit status $server_status, expected 0"
    # Without times, process numbers and the run's own directory.
    sed -E "s/^\[[^]]*\] //; s/\[pid [^]]*\] //; s|$home|HOME|g" "$home/error.log" >"$home.log"
}

none_of() {
    local pid
    for pid in $1; do
        [[ ! -e /proc/$pid ]] || return
    done
}

dumps_of() { grep -c ' program apache2$' "$home/dump.$1" 2>/dev/null; }

begin_test "$@"
live_once plain
settings_of vdso
way=vdso
live_once loaded "${settings[@]}" UNCONTEND_DUMP_FILE="$dir/loaded/dump.%p"
diff -u "$dir/plain.log" "$dir/loaded.log" >&2 || die "the logs differ"
diff -u "$dir/plain.said" "$dir/loaded.said" >&2 || die "what Apache says differs"
[[ $(dumps_of "$server_pid") == "$restarts" ]] ||
    die "$(dumps_of "$server_pid") dumps, expected one for each of $restarts restarts"
tell apache $restarts
settings_of drbg
live_once winch "${settings[@]}" UNCONTEND_SIGNAL=WINCH UNCONTEND_DUMP_FILE="$dir/winch/dump.%p"
diff -u "$dir/plain.log" "$dir/winch.log" >&2 || die "the logs differ with UNCONTEND_SIGNAL=WINCH"
[[ $(dumps_of "$server_pid") == 1 ]] || die "$(dumps_of "$server_pid") dumps at SIGWINCH, expected 1"
exit 0
