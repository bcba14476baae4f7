#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's MariaDB, whose threads draw by RAND_bytes for random_bytes(), for the challenges of its
# logins and for TLS: preloaded, it answers and logs what it answers and logs plain, what is random
# is distinct, and it is shut down by mariadb-admin.
#
#   tests/servers/mariadb.sh BUILDDIR     status 0 pass, 1 fail, 77 something is not installed
#
# The database is one of its own in a directory that goes away; a MariaDB that the machine runs, and
# its settings, are not touched.
#
# shellcheck disable=SC2317 # start_on_free_port calls what it is given

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
need_programs mariadbd mariadb mariadb-admin mariadb-slap mariadb-install-db openssl
draws=4000 sessions=4 clients=4 each=500

user=()
prepare() {
    local said
    ((EUID)) || user=(--user=nobody)
    mkdir "$dir/template"
    ((EUID)) || chown nobody "$dir/template"
    said=$(mariadb-install-db --no-defaults "${user[@]}" --datadir="$dir/template" --skip-test-db \
        --auth-root-authentication-method=normal --innodb-log-file-size=8M 2>&1) || die "mariadb-install-db: $said"
}

run_mariadb() {
    in_background env "${settings[@]}" mariadbd --no-defaults "${user[@]}" --datadir="$home/data" \
        --bind-address=127.0.0.1 --port="$1" --socket="$home/socket" --pid-file="$home/data/pid" \
        --skip-name-resolve --innodb-flush-log-at-trx-commit=0 --innodb-buffer-pool-size=32M \
        --innodb-log-file-size=8M --innodb-buffer-pool-dump-at-shutdown=0 \
        --innodb-buffer-pool-load-at-startup=0 --ssl-cert="$dir/cert.pem" --ssl-key="$dir/key.pem" >"$server_log" 2>&1
}

client=(--no-defaults --user=root)
ask() { timeout 30 mariadb "${client[@]}" --socket="$home/socket" --batch --skip-column-names "$@"; }
ask_tls() {
    timeout 30 mariadb --no-defaults --user=tester --password=secret --host=127.0.0.1 \
        --port="$server_port" --protocol=tcp --ssl --batch --skip-column-names "$@"
}

# Sorts, joins, an index, the generators with a seed, a view, a rollback, and errors.
questions() {
    cat <<'END'
create database d; use d;
create table t (i int primary key, h char(32), k int, key (h)) engine=innodb;
insert into t select seq, md5(seq), seq % 7 from seq_1_to_5000;
select k, count(*), sum(i), min(h), max(h) from t group by k order by k;
select count(*) from t a join t b on a.i = b.i + 1 where a.h < b.h;
select i from t where h = md5('4321');
select round(rand(5), 9), round(rand(6), 9);
create table m engine=aria as select * from t where i <= 1000;
alter table t add column note varchar(20) default 'x', add index (k);
create view v as select k, max(i) as top from t group by k; select * from v order by k;
select sha2('abc', 256), date_format('2024-02-29' + interval 365 day, '%Y-%m-%d');
begin; update t set k = 8 where i <= 10; rollback; select count(*) from t where k = 8;
select json_extract('{"a": [1, 2]}', '$.a[1]'), regexp_replace('abc', 'b', 'x');
insert into t (i) values (1);
select * from nowhere;
show tables; checksum table t, m;
create user tester@127.0.0.1 identified by 'secret'; grant all on d.* to tester@127.0.0.1;
END
}

# In sessions side by side: what the server draws, and what it makes of time and place.
draw_in_sessions() {
    local i pids=()
    for ((i = 0; i < sessions; i++)); do
        ask -e "select lower(hex(random_bytes(16))) from seq_1_to_$draws; select uuid() from seq_1_to_$draws" \
            mysql >"$home/drawn.$i" 2>&1 &
        pids+=($!)
        remember $!
    done
    for i in "${!pids[@]}"; do
        wait "${pids[i]}" || die "$way: session $i: $(tail -n 3 "$home/drawn.$i")"
        forget "${pids[i]}"
    done
    grep -hv -e "-" "$home"/drawn.? >"$home/bytes"
    grep -h -e "-" "$home"/drawn.? >"$home/uuids"
    all_distinct "$home/bytes" '^[0-9a-f]{32}$' $((sessions * draws))
    all_distinct "$home/uuids" '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' $((sessions * draws))
}

# Contended inserts and selects, each client with a login of its own.
load() {
    mariadb-slap "${client[@]}" --socket="$home/socket" --concurrency=$clients --iterations=1 \
        --number-of-queries=$((clients * each)) --auto-generate-sql --auto-generate-sql-load-type=mixed \
        --auto-generate-sql-guid-primary --engine=innodb >"$home/load" 2>&1 || die "$way: mariadb-slap: $(<"$home/load")"
    sed 's/[0-9.]\+ seconds/N seconds/; /^$/d' "$home/load"
}

live() {
    server_log=$home/log i=
    cp -a "$dir/template" "$home/data"
    chmod 777 "$home"
    start_on_free_port "MariaDB ($way)" run_mariadb "$server_log"
    until_true "$way: MariaDB is ready" grep -q 'ready for connections' "$server_log" # its socket is the last
    questions | ask --force --table >"$home/same/answers" 2>&1
    draw_in_sessions
    load >"$home/same/load"
    for ((i = 0; i < 20; i++)); do
        ask_tls -e "show status like 'Ssl_version'; select count(*) from d.t where k = $((i % 7))" 2>&1
    done >"$home/same/tls"
    grep -q TLSv1.3 "$home/same/tls" || die "$way: no TLS: $(tail -n 3 "$home/same/tls")"
    take_stock "$server_pid"
    mariadb-admin "${client[@]}" --socket="$home/socket" shutdown || die "$way: mariadb-admin shutdown"
    gone_within 1500 "$server_pid" || die "$way: still there 15 s after its shutdown"
    wait "$server_pid"
    server_status=$?
    forget "$server_pid"
    ((server_status == 0)) || die "$way: exit status $server_status after its shutdown"
    # Without times, figures, places, and the mark that the server makes of its port among others.
    sed -E "s|$home|HOME|g; s|^[0-9-]+ +[0-9:]+ [0-9]+ ||; s|server_uid [^ ]+|server_uid U|; s|[0-9]+|N|g" \
        "$server_log" | sort -u >"$home/same/log"
}

begin_test "$@"
make_certificate
chmod 644 "$dir/key.pem" # the server gives up root
prepare
in_all_ways live
took rand_bytes_calls
tell mariadb $((2 * sessions * draws + clients * each + 20))
