#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's sshd, whose child before the login sits in a seccomp filter that kills: preloaded, logins
# by key over loopback go through, with every key exchange and cipher asked for, as plain.
# waits
#
#   tests/servers/sshd.sh BUILDDIR        status 0 pass, 1 fail, 77 something is not installed
#
# shellcheck disable=SC2317 # start_on_free_port calls what it is given

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
need_programs /usr/sbin/sshd ssh ssh-keygen
logins=8
exchanges=(curve25519-sha256 sntrup761x25519-sha512@openssh.com ecdh-sha2-nistp256 diffie-hellman-group14-sha256)
ciphers=(chacha20-poly1305@openssh.com aes128-gcm@openssh.com aes256-ctr)

run_sshd() {
    {
        printf 'Port %s\nListenAddress 127.0.0.1\nHostKey %s/host\nPidFile none\n' "$1" "$dir"
        printf 'AuthorizedKeysFile %s/key.pub\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n' "$dir"
        printf 'PermitRootLogin yes\nMaxStartups 50\nLogLevel VERBOSE\nSubsystem sftp internal-sftp\n'
    } >"$home/config"
    in_background env "${settings[@]}" /usr/sbin/sshd -D -e -f "$home/config" >"$server_log" 2>&1
}

login() {
    timeout 20 ssh -F none -p "$server_port" -i "$dir/key" -o BatchMode=yes -o LogLevel=ERROR \
        -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o KexAlgorithms="$1" \
        -o Ciphers="$2" 127.0.0.1 "$3"
}

# Its server processes can be looked at while it is there.
hold_session() {
    mkfifo "$home/hold"
    login "${exchanges[0]}" "${ciphers[0]}" 'echo open; cat' <"$home/hold" >"$home/same/held" &
    session=$!
    remember "$session"
    exec {hold}>"$home/hold"
    until_true "$way: a session" grep -qs open "$home/same/held"
}

end_session() {
    echo end >&"$hold"
    exec {hold}>&-
    wait "$session" || die "$way: the session ended with status $?"
    forget "$session"
}

live() {
    local i
    server_log=$home/said
    start_on_free_port "sshd ($way)" run_sshd "$server_log"
    for ((i = 0; i < logins; i++)); do
        login "${exchanges[i % 4]}" "${ciphers[i % 3]}" "echo login $i; seq $((i * 500)) | cksum; exit $i" </dev/null
        echo "status $?"
    done >"$home/same/answers" 2>&1
    hold_session
    take_stock "$server_pid"
    end_session
    stop_with TERM 0
    # Whether a session is closed before its connection is chance.
    sed -E 's/port [0-9]+/port N/g; s/pid [0-9]+/pid N/' "$server_log" | grep -v '^Close session' | sort -u >"$home/same/log"
    grep -q "^login $((logins - 1))$" "$home/same/answers" || die "$way: $(<"$home/same/answers")"
}

begin_test "$@"
hold_sshd_directory
for file in host key; do
    ssh-keygen -q -t ed25519 -N '' -f "$dir/$file" || die "no key"
done
in_all_ways live
took getrandom_calls getentropy_calls arc4random_calls arc4random_buf_calls rand_bytes_calls
tell openssh $((logins + 1))
