#!/bin/bash
# SPDX-License-Identifier: MIT
# OpenSSL's own programs, preloaded: s_server and s_client agree on every version, suite and kind of
# session, and `speed -multi`, which forks, ends as it does plain.
#
#   tests/servers/openssl.sh BUILDDIR     status 0 pass, 1 fail, 77 something is not installed
#
# shellcheck disable=SC2317 # start_on_free_port calls what it is given

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
need_programs openssl
kinds=('-tls1_3' '-tls1_2' '-tls1_3 -ciphersuites TLS_CHACHA20_POLY1305_SHA256'
    '-tls1_2 -cipher ECDHE-ECDSA-AES256-GCM-SHA384' '-tls1_2 -no_ticket' '-tls1_3 -groups P-256')

run_s_server() {
    in_background env "${settings[@]}" openssl s_server -accept "127.0.0.1:$1" -cert "$dir/cert.pem" \
        -key "$dir/key.pem" -rev -quiet >"$server_log" 2>&1 </dev/null
}

# The last line is sent back reversed; a session kept is used once more.
ask() {
    local how
    for how in -sess_out -sess_in; do
        # shellcheck disable=SC2086 # several words
        printf 'question %s\nCLOSE\n' "$*" | env "${settings[@]}" timeout 20 openssl s_client -connect \
            "127.0.0.1:$server_port" -ign_eof -CAfile "$dir/cert.pem" $1 $how "$home/session" \
            2>&1 | grep -E '^(New|Reused|    Cipher|    Protocol|noitseuq|.*noitseuq|Verification|Server Temp Key)|Verify return'
    done
}

live() {
    local kind
    server_log=$home/said
    start_on_free_port "s_server ($way)" run_s_server "$server_log"
    for kind in "${kinds[@]}"; do
        # The server closes when it has read CLOSE.
        ask "$kind"
    done >"$home/same/answers"
    take_stock "$server_pid"
    stop_with TERM 143
    env "${settings[@]}" openssl speed -mr -seconds 1 -multi 2 ecdsap256 >"$home/speed" 2>&1
    echo "speed: $?" >"$home/same/speed"
    sed -nE 's/^(Got: )?\+(F[0-9]*|H|R[0-9]*|DT):.*/\2/p' "$home/speed" | sort | uniq -c >>"$home/same/speed"
    env "${settings[@]}" openssl rand -hex 100000 >"$home/random" || die "$way: openssl rand"
    fold -w 32 "$home/random" | head -n 6250 >"$home/values"
    all_distinct "$home/values" '^[0-9a-f]{32}$' 6250
    [[ $(<"$home/same/answers") == *noitseuq* ]] || die "$way: $(<"$home/same/answers")"
}

begin_test "$@"
make_certificate
in_all_ways live
tell openssl $((2 * ${#kinds[@]}))
