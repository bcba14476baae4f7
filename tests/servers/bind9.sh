#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's BIND with two threads, in front of another one that has the zone: preloaded, it draws its
# question numbers, ports and cookies, reloads, and answers and logs what it does plain; rndc stops it.
#
#   tests/servers/bind9.sh BUILDDIR       status 0 pass, 1 fail, 77 something is not installed
#
# shellcheck disable=SC2317 # start_on_free_port calls what it is given

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
need_programs named rndc dig python3 dnsperf
names=1500

user=()
((EUID)) || user=(-u nobody)

# PORT WHAT: what both have in common.
head_of() {
    printf 'options {\n directory "%s";\n pid-file none; session-keyfile none; managed-keys-directory "%s";\n' \
        "$home/$2" "$home/$2"
    printf ' listen-on port %s { 127.0.0.1; }; listen-on-v6 { none; }; dnssec-validation no; querylog no;\n' "$1"
}

run_source() {
    { head_of "$1" source; printf ' recursion no;\n};\ncontrols { };\nzone "test" { type primary; file "%s"; };\n' "$dir/zone"; } \
        >"$home/source.conf"
    in_background named -f -g -n 1 "${user[@]}" -c "$home/source.conf" >"$server_log" 2>&1
}

# rndc's port is the next but one: nobody else's, or named says so and is started again.
run_front() {
    control_port=$(($1 + 2))
    {
        head_of "$1" front
        printf ' recursion yes; forward only; forwarders { 127.0.0.1 port %s; }; empty-zones-enable no;\n};\n' "$source_port"
        printf 'include "%s";\n' "$dir/rndc.key"
        printf 'controls { inet 127.0.0.1 port %s allow { 127.0.0.1; } keys { rndc-key; }; };\n' "$control_port"
    } >"$home/front.conf"
    in_background env "${settings[@]}" named -f -g -n 2 "${user[@]}" -c "$home/front.conf" >"$server_log" 2>&1
}

control() { rndc -s 127.0.0.1 -p "$control_port" -k "$dir/rndc.key" "$@" 2>&1; }

write_zone() {
    local i
    {
        # shellcheck disable=SC2016 # $TTL belongs to the zone
        printf '$TTL 86400\n@ SOA ns root 1 86400 86400 86400 86400\n@ NS ns\nns A 127.0.0.1\n'
        for ((i = 0; i < names; i++)); do
            ((i % 10 == 9)) || printf 'n%d A 10.1.%d.%d\n' $i $((i / 250)) $((i % 250))
        done
        printf 'text TXT "some words"\nmail MX 5 n1\nalias CNAME n2\n'
    } >"$dir/zone"
    for ((i = 0; i < 200; i++)); do
        printf 'n%d.test A\n' $i
    done >"$dir/queries"
    rndc-confgen -a -c "$dir/rndc.key" >/dev/null 2>&1 || die "rndc-confgen"
    chmod 644 "$dir/rndc.key" "$dir/zone"
}

dig_all() {
    local name
    for name in 'text TXT' 'mail MX' 'alias A' 'none A' 'n9 A'; do
        # shellcheck disable=SC2086 # two words
        dig @127.0.0.1 -p "$server_port" +noall +nottlid +comments +answer +authority +tries=2 +time=3 ${name/ /.test } |
            sed -E 's/id: [0-9]+/id: N/; s/COOKIE: [0-9a-f]+/COOKIE: N/'
    done
    dig @127.0.0.1 -p "$server_port" +tcp +short n3.test
}

live() {
    local source_pid said
    mkdir "$home/source" "$home/front"
    chmod 777 "$home" "$home/source" "$home/front"
    server_log=$home/source.log
    start_on_free_port "the source of names ($way)" run_source "$server_log"
    source_pid=$server_pid
    source_port=$server_port
    server_log=$home/front.log
    start_on_free_port "named ($way)" run_front "$server_log"
    python3 "$here/dns.py" "$server_port" $names 6 >"$home/same/answers" || die "$way: no answers"
    dig_all >"$home/same/dig"
    said=$(dnsperf -s 127.0.0.1 -p "$server_port" -d "$dir/queries" -n 100 -l 10 -c 4 -T 1 2>&1) || die "$way: dnsperf: $said"
    grep -E 'Queries (completed|lost)|Response codes' <<<"$said" >"$home/same/load"
    take_stock "$server_pid"
    control reconfig >"$home/same/control"
    control reload >>"$home/same/control"
    control flush >>"$home/same/control"
    python3 "$here/dns.py" "$server_port" 200 4 >>"$home/same/answers" || die "$way: no answers"
    control stop >>"$home/same/control"
    gone_within 1500 "$server_pid" || die "$way: still there 15 s after rndc stop"
    wait "$server_pid"
    server_status=$?
    forget "$server_pid"
    ((server_status == 0)) || die "$way: exit status $server_status after rndc stop"
    # Without times, figures and places, and without what its thread for interfaces says at the end if it
    # gets to it.
    sed -E "s|$home|HOME|g; s|^[0-9]+-[A-Za-z]+-[0-9]+ [0-9:.]+ ||; s|[0-9]+|N|g" "$server_log" |
        grep -v '^automatic interface scanning terminated' | sort -u >"$home/same/log"
    server_pid=$source_pid
    stop_with TERM 0
}

begin_test "$@"
write_zone
in_all_ways live
took rand_bytes_calls
tell bind9 $((3 * names + 600 + 20000 + 6))
