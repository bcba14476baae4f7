#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's PostgreSQL, whose gen_random_uuid() is 16 bytes of RAND_bytes, with that function taken
# over: the uuids of four sessions, which are forks of one server, are all distinct, each was served
# by us, ordinary queries are answered as they are plain, and the server logs nothing that it does
# not log plain. Loaded without RAND_BYTES, nothing is served.
#
#   tests/servers/postgres.sh BUILDDIR      status 0 pass, 1 fail, 77 something is not installed
#
# The database is one of its own in a directory that goes away, reached through a socket in there
# and not over the network; a PostgreSQL that the machine runs is not touched.
#
# shellcheck disable=SC2317 # the trap calls end_and_clean_up

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
programs=/usr/lib/postgresql/15/bin
sessions=4
draws=20000
transactions=300
# What the start of a session draws for itself: measured 1, and there is no reason for many.
others=16

need_programs "$programs/postgres" "$programs/psql" "$programs/pgbench"

# PostgreSQL refuses to be root. Its user may not be able to reach the build tree.
as_owner=()
prepare() {
    mkdir "$dir/lib" "$dir/data" "$dir/socket"
    cp "$build/libuncontend.so" "$build/libuncontend-rand.so" "$build/uncontend" "$dir/lib"
    command=$dir/lib/uncontend
    export PGHOST=$dir/socket PGUSER=tester PGDATABASE=postgres TOOL=$command
    unset PGPORT PGOPTIONS PGSERVICE PGDATA PGCLIENTENCODING
    ((EUID)) && return
    as_owner=(--reuid=postgres --regid=postgres --init-groups --)
    chmod 711 "$dir"
    chmod -R a+rX "$dir/lib"
    chown postgres: "$dir/data" "$dir/socket"
}

owner() { (cd / && setpriv "${as_owner[@]}" "$@"); }

make_database() {
    local said
    said=$(owner "$programs/initdb" -D "$dir/data" -A trust -U "$PGUSER" -E UTF8 --no-locale \
        --no-sync --no-instructions 2>&1) || die "initdb: $said"
}

# Its own word for it: a connection before that is an error in the log.
is_ready() { grep -q 'database system is ready to accept connections' "$server_log"; }

# $@: what the server is started by.
start_postgres() {
    local hundredths=1000
    server_log=$home.log
    in_background "${as_owner[@]}" "$@" "$programs/postgres" -D "$dir/data" \
        -c unix_socket_directories="$dir/socket" -c listen_addresses= -c fsync=off \
        -c log_checkpoints=off -c autovacuum=off -c logging_collector=off >"$server_log" 2>&1
    server_pid=${live[-1]}
    until is_ready; do
        running "$server_pid" || die "$name: PostgreSQL did not start"
        ((hundredths-- > 0)) || die "$name: PostgreSQL is not ready after 10 s"
        pause
    done
}

# The session is asked for its counters while it is there.
draw() {
    "$programs/psql" -XAtq -v ON_ERROR_STOP=1 -v n="$draws" -v file="$home.uuids.$1" <<'END'
select pg_backend_pid() as pid \gset
\o :file
select gen_random_uuid() from generate_series(1, :n);
\o
\setenv PID :pid
\! "$TOOL" stat -j "$PID" 2>&1
END
}

draw_in_sessions() {
    local i pids=()
    for ((i = 0; i < sessions; i++)); do
        draw "$i" >"$home.stat.$i" 2>&1 &
        pids+=($!)
        remember $!
    done
    for i in "${!pids[@]}"; do
        wait "${pids[i]}" || die "$name: session $i: $(<"$home.stat.$i")"
        forget "${pids[i]}"
    done
}

check_uuids() {
    local right distinct asked=$((sessions * draws))
    local version_4='^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
    right=$(cat "$home".uuids.* | grep -cE "$version_4")
    distinct=$(sort -u "$home".uuids.* | wc -l)
    ((right == asked)) || die "$name: $right uuids, asked for $asked"
    ((distinct == asked)) || die "$name: only $distinct distinct uuids among $asked"
}

# $1: whether each uuid was served, none, or the session cannot be read.
check_calls() {
    local i said calls
    for ((i = 0; i < sessions; i++)); do
        said=$(<"$home.stat.$i")
        if [[ $1 == none ]]; then
            [[ $said != *rand_bytes_calls* ]] || die "$name: counters of a plain session: $said"
            continue
        fi
        [[ $said =~ '"rand_bytes_calls":'([0-9]+) ]] || die "$name: stat of session $i: $said"
        calls=${BASH_REMATCH[1]}
        case $1 in
            zero) ((calls == 0)) || die "$name: $calls calls served, not asked for" ;;
            each)
                ((calls >= draws && calls <= draws + others)) ||
                    die "$name: session $i: $calls calls served for $draws uuids"
                ;;
        esac
    done
}

# Sorts, joins, aggregates, an index, parallel workers, the generator with a seed, and an error.
ask_ordinary() {
    "$programs/psql" -XAt 2>&1 <<'END'
create temp table t as select i, md5(i::text) as h, i % 7 as k from generate_series(1, 5000) i;
create index on t (h);
analyze t;
select k, count(*), sum(i), min(h), max(h) from t group by k order by k;
select count(*) from t a join t b on a.i = b.i + 1 where a.h < b.h;
select i from t where h = md5('4321');
select setseed(0.5);
select round(sum(random())::numeric, 9) from generate_series(1, 1000);
set force_parallel_mode = on;
select sum(length(proname)) > 0, count(*) from pg_proc where proname like 'pg%';
select encode(sha256('abc'), 'hex'), to_char(date '2024-02-29' + 365, 'YYYY-MM-DD');
select 1 / 0;
begin; update t set k = 8 where i <= 10; rollback;
select count(*) from t where k = 8;
END
}

# Without times, process numbers and other figures; the order of unrelated processes is chance.
said_by() { sed -E 's/[0-9]+/N/g' "$dir/$1.log" | sort -u; }

# Forks, short transactions, contended rows. Its own words, without the times.
bench() {
    "$programs/pgbench" -q -i -s 1 >"$home.bench" 2>&1 || die "$name: pgbench -i: $(<"$home.bench")"
    "$programs/pgbench" -n -c 4 -j 2 -t "$transactions" >"$home.bench" 2>&1 ||
        die "$name: pgbench: $(<"$home.bench")"
    grep -E '^number of (transactions|failed)' "$home.bench"
    "$programs/psql" -XAtc 'select count(*), sum(delta) = (select sum(abalance) from pgbench_accounts) from pgbench_history'
}

stop_postgres() {
    local said
    said=$(owner "$programs/pg_ctl" -D "$dir/data" -m fast -t 10 stop 2>&1) || die "$name: $said"
    wait "$server_pid"
    server_status=$?
    forget "$server_pid"
    ((server_status == 0)) || die "$name: exit status $server_status, expected 0"
}

live_once() {
    local expected=$2
    name=$1
    home=$dir/$name
    shift 2
    start_postgres "$@"
    draw_in_sessions
    check_uuids
    check_calls "$expected"
    [[ $expected != each ]] || cat "$home".stat.? >>"$dir/stock.$way" # the sessions are gone when stock is taken
    ask_ordinary >"$home.answers"
    bench >>"$home.answers"
    take_stock "$server_pid"
    stop_postgres
    [[ $name == plain ]] && return
    diff -u "$dir/plain.answers" "$home.answers" >&2 || die "$name: the answers differ"
    diff -u <(said_by plain) <(said_by "$name") >&2 || die "$name: the server's log differs"
}

# After SIGTERM a server waits for its sessions. SIGINT ends them, too, and a server that was
# killed instead leaves shared memory behind.
end_and_clean_up() {
    local status=$?
    [[ $server_pid ]] && running "$server_pid" && kill -INT "$server_pid"
    (exit "$status")
    clean_up
}

begin_test "$@"
trap end_and_clean_up EXIT
prepare
make_database
live_once plain none env
way=off
live_once off zero "$command" run -o RAND_BYTES=off -o SIGNAL=none --
for engine in drbg vdso; do
    way=$engine
    live_once "$engine" each "$command" run -o RAND_BYTES=on -o SYSCALL=on -o RANDOM="$engine" -o SIGNAL=none --
done
tell postgresql $((sessions * draws + 4 * transactions))
exit 0
