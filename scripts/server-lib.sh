# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034 # server_* are read by the scripts that source this
#
# Starting, watching and ending servers from a shell script: a directory that goes away, a
# certificate, a port that is free, processes that are all gone at the end, whatever the end is.
# To be sourced, by bash with `set -u`. It knows children of the script by their pid and never
# touches another process; in particular not a haproxy that the machine runs for itself.
#
#   begin_servers            first: makes $dir, sets the traps, clears the environment of settings
#   make_certificate         $dir/site.pem, ECDSA P-256
#   start_haproxy NAME ARG.. ARG are haproxy's; sets $server_pid, $server_port, $server_log
#   end_server SIGNAL SECS   signals it and waits; sets $server_status, $server_stop_ms
#   start_on_free_port ..   the same for any server
#   pause                    10 ms between two looks at what may have happened
#   remember PID, forget PID the list of processes that end with the script; a daemon that writes
#                            $dir/NAME.pid is on it by that

#   hold_sshd_directory      /run/sshd, which root's sshd wants, to the end of the script; several
#                            scripts may use it at a time

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

dir=
server_pid=
server_port=
server_log=
server_status=
server_stop_ms=
live=()

begin_servers() {
    local name
    for name in LD_PRELOAD "${!UNCONTEND_@}"; do
        unset "$name"
    done
    dir=$(mktemp -d "${TMPDIR:-/tmp}/uncontend.XXXXXXXX") || exit 1
    trap clean_up EXIT
    mkfifo -m 600 "$dir/never" || exit 1
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 141' PIPE
    trap 'exit 143' TERM
}

# Waiting for what is never written starts no process, which a hundred times a second is a tenth of
# a CPU, and leaves no descriptor to those that are started.
pause() {
    local never
    read -rt 0.01 never <>"$dir/never" || :
}

remember() { live+=("$1"); }

forget() {
    local pid rest=()
    for pid in "${live[@]}"; do
        [[ $pid == "$1" ]] || rest+=("$pid")
    done
    live=("${rest[@]}")
}

running() { kill -0 "$1" 2>/dev/null; }

# A child that ended stays visible until bash has collected it, which bash does at once.
gone_within() {
    local hundredths=$1 pid=$2
    while running "$pid"; do
        ((hundredths-- > 0)) || return 1
        pause
    done
}

clean_up() {
    local status=$? pid file
    trap '' HUP INT PIPE TERM
    trap - EXIT
    for file in "$dir"/*.pid; do
        [[ -s $file ]] && live+=("$(<"$file")")
    done
    for pid in "${live[@]}"; do
        kill -TERM "$pid" 2>/dev/null
    done
    for pid in "${live[@]}"; do
        gone_within 200 "$pid" || kill -KILL "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
    done
    let_go_of_sshd_directory
    [[ $dir ]] && rm -rf -- "$dir"
    exit "$status"
}

say() { printf '%s\n' "$*" >&2; }

# The reason, and what the server said last: enough to act on without a second run.
die() {
    if [[ $server_log && -s $server_log ]]; then
        say "--- the end of what the server printed:"
        tail -n 30 "$server_log" >&2
        say "---"
    fi
    say "${0##*/}: $*"
    exit 1
}

# A test that lacks a program is skipped.
need_programs() {
    local program
    for program in "$@"; do
        type -P "$program" >/dev/null || { say "no $program here"; exit 77; }
    done
}

# WHAT CONDITION..: until it is so, at most 10 s.
until_true() {
    local what=$1 hundredths=1000
    shift
    until "$@"; do
        ((hundredths-- > 0)) || die "$what: not within 10 s"
        pause
    done
}

# `setpriv --pdeathsig` ends a server even where no trap can: when the script itself is killed.
in_background() {
    setpriv --pdeathsig TERM "$@" &
    remember $!
}

make_certificate() {
    local out
    out=$(openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 7 \
        -subj /CN=localhost -keyout "$dir/key.pem" -out "$dir/cert.pem" 2>&1) ||
        die "openssl could not make a certificate: $out"
    cat "$dir/cert.pem" "$dir/key.pem" >"$dir/site.pem"
}

# Below the range that outgoing connections take their ports from.
random_port() { printf '%s\n' $((16384 + (RANDOM * 32768 + RANDOM) % 16000)); }

accepts() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Started in the foreground mode (-db), so that it stays a child, and without SO_REUSEPORT (-dR), so
# that a port which somebody serves already is an error and not shared with him. PORT and CERT are
# what examples/haproxy/haproxy.cfg reads. `wrapper` is put before the command, `settings` are
# NAME=VALUE words for haproxy alone.
wrapper=()
settings=()
# shellcheck disable=SC2317 # start_on_free_port calls it
run_haproxy() {
    in_background "${wrapper[@]}" env "${settings[@]}" PORT="$1" CERT="$dir/site.pem" \
        haproxy -db -dR "${@:2}" >"$server_log" 2>&1
}

start_haproxy() {
    server_log=$dir/$1.log
    start_on_free_port "haproxy ($1)" run_haproxy "$server_log" "${@:2}"
}

# WHAT RUN LOG [ARG..]: calls RUN PORT ARG.. until the server it starts in the background has got the
# port. LOG is where it would say that it has not.
start_on_free_port() {
    local what=$1 run=$2 log=$3 try
    shift 3
    for ((try = 0; try < 20; try++)); do
        server_port=$(random_port)
        accepts "$server_port" && continue
        "$run" "$server_port" "$@"
        server_pid=${live[-1]}
        wait_until_it_accepts && return
        grep -qi 'address already in use' "$server_log" "$log" || die "$what did not start"
    done
    die "no free port found"
}

wait_until_it_accepts() {
    local hundredths=1000
    until accepts "$server_port"; do
        if ! running "$server_pid"; then
            wait "$server_pid"
            server_status=$?
            forget "$server_pid"
            return 1
        fi
        ((hundredths-- > 0)) || die "no connection is accepted after 10 s"
        pause
    done
}

end_server() {
    local signal=$1 seconds=$2 begin=${EPOCHREALTIME/[.,]/}
    kill -"$signal" "$server_pid" || die "haproxy went away by itself"
    gone_within $((seconds * 100)) "$server_pid" ||
        die "haproxy is still there $seconds s after SIG$signal"
    wait "$server_pid"
    server_status=$?
    server_stop_ms=$(((${EPOCHREALTIME/[.,]/} - begin) / 1000))
    forget "$server_pid"
}

sshd_directory=
sshd_directory_made=
# All hold a shared lock on it; who made it removes it, unless somebody else still does.
hold_sshd_directory() {
    ((EUID == 0)) || return 0
    while :; do
        mkdir /run/sshd 2>/dev/null && sshd_directory_made=1
        exec {sshd_directory}</run/sshd || continue
        flock -s "$sshd_directory"
        [[ /run/sshd -ef /dev/fd/$sshd_directory ]] && return
        exec {sshd_directory}<&-
    done
}

let_go_of_sshd_directory() {
    if [[ $sshd_directory_made ]] && flock -xn "$sshd_directory"; then
        rmdir /run/sshd 2>/dev/null
    fi
    return 0
}
