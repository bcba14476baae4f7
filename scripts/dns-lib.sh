# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034,SC2154,SC2317 # variables and functions are server-lib.sh's and its users'
#
# Debian's unbound and dnsdist on loopback, with a zone of their own and no need of a network:
# unbound answers names of site.example from a file, through its cache; dnsdist stands before an
# unbound and answers from a packet cache. To be sourced after server-lib.sh.
#
#   write_dns_files            the zone, the settings and the queries, in $dir
#   start_unbound NAME         in $server_pid, $server_port
#   start_dnsdist NAME PORT    the same; PORT is the unbound's
#   load_dns SECONDS           sets $queries, all answered
#
# `settings` are NAME=VALUE words for the server alone, as for haproxy.

dns_names=500
dns_server=/usr/sbin/unbound
queries=

write_dns_files() {
    local i
    {
        printf '%s\n' '$ORIGIN site.example.' '$TTL 86400' \
            '@ SOA ns root 1 86400 86400 86400 86400' '@ NS ns' 'ns A 127.0.0.1'
        for ((i = 0; i < dns_names; i++)); do
            printf 'h%d A 10.0.%d.%d\nh%d TXT "host %d"\na%d CNAME h%d\n' \
                "$i" $((i / 250)) $((i % 250)) "$i" "$i" "$i" "$i"
        done
    } >"$dir/zone"
    for ((i = 0; i < dns_names; i++)); do
        printf 'h%d.site.example A\nh%d.site.example TXT\na%d.site.example A\n' "$i" "$i" "$i"
        ((i % 10)) || printf 'none%d.site.example A\nhost%d.local.example A\n' "$i" "$i"
    done >"$dir/queries"
    # The first query of each name makes it known to the caches; afterwards all are read.
    cat >"$dir/unbound.conf" <<END
server:
  interface: 127.0.0.1
  num-threads: 2
  so-reuseport: yes
  username: ""
  chroot: ""
  directory: "$dir"
  pidfile: ""
  use-syslog: no
  logfile: ""
  verbosity: 0
  do-daemonize: no
  module-config: "iterator"
  do-not-query-localhost: no
  rrset-roundrobin: no
  outgoing-range: 64
  num-queries-per-thread: 32
  local-zone: "local.example." static
  local-data: "host10.local.example. A 10.1.1.1"
remote-control:
  control-enable: no
auth-zone:
  name: "site.example."
  zonefile: "$dir/zone"
  for-downstream: no
  for-upstream: yes
  fallback-enabled: no
END
}

run_unbound() {
    { cat "$dir/unbound.conf"; printf 'server:\n  port: %s\n' "$1"; } >"$dir/unbound.$1.conf"
    in_background env "${settings[@]}" "$dns_server" -d -c "$dir/unbound.$1.conf" \
        >"$server_log" 2>&1
}

start_unbound() {
    server_log=$dir/$1.log
    start_on_free_port "unbound ($1)" run_unbound "$server_log"
}

run_dnsdist() {
    cat >"$dir/dnsdist.$1.conf" <<END
setSecurityPollSuffix("")
s = newServer({address="127.0.0.1:$2"})
s:setUp()
addLocal("127.0.0.1:$1", {reusePort=true})
addLocal("127.0.0.1:$1", {reusePort=true})
getPool(""):setCache(newPacketCache(20000, {numberOfShards=4}))
END
    in_background env "${settings[@]}" dnsdist --supervised --disable-syslog \
        -C "$dir/dnsdist.$1.conf" >"$server_log" 2>&1
}

start_dnsdist() {
    server_log=$dir/$1.log
    start_on_free_port "dnsdist ($1)" run_dnsdist "$server_log" "$2"
}

load_dns() {
    local said
    said=$(dnsperf -s 127.0.0.1 -p "$server_port" -d "$dir/queries" -l "$1" -c 8 -T 1 2>&1) ||
        die "dnsperf: $said"
    [[ $said =~ Queries\ completed:\ +([0-9]+) ]] || die "dnsperf: $said"
    queries=${BASH_REMATCH[1]}
    [[ $queries -gt 0 && $said =~ Queries\ lost:\ +0\  ]] || die "queries were lost: $said"
}
