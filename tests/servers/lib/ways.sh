# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034 # much is read by the scripts that source this
#
# What the scripts of tests/servers have in common: a program is run plain, then preloaded with each
# engine and all shims on, and whatever it leaves in a directory must be the same. To be sourced, by
# bash with `set -uo pipefail`, by a script one directory up.
#
#   begin_test BUILDDIR        first: sets $build, $library, $rand_library, $command, $dir
#   in_all_ways FUNCTION ..    runs it for each way with $way, $home (empty), $settings (for env) set;
#                              then all files in $home/same must be those of the plain way
#   take_stock PID             what the processes from PID down did so far, for the row
#   run_program NAME COMMAND.. one that ends by itself: status, stdout and stderr go to $home/same
#   tell NAME REQUESTS         the row of the table, and forget the stock
#   took COUNTER..             dies unless one of these counters moved in each preloaded way
#   stop_with SIGNAL STATUS    ends $server_pid the way its operators do

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/server-lib.sh
. "$here/../../../scripts/server-lib.sh"
export LC_ALL=C

way=plain
home=

begin_test() {
    local file
    [[ $# == 1 ]] || die "usage: $0 BUILDDIR"
    build=$(cd "$1" && pwd) || exit 1
    library=$build/libuncontend.so
    rand_library=$build/libuncontend-rand.so
    command=$build/uncontend
    for file in "$library" "$rand_library" "$command"; do
        [[ -e $file ]] || die "$file is not built"
    done
    need_programs setpriv ps awk
    begin_servers
    chmod 711 "$dir" # for workers that gave up root
    rows=$build/servers/$(basename "$0" .sh)
    mkdir -p "$build/servers"
    rm -f "$rows"
}

# Everything on, as much in the way as can be.
settings_of() {
    settings=()
    [[ $1 == plain ]] && return
    settings=(LD_PRELOAD="$library:$rand_library" UNCONTEND_RANDOM="$1" UNCONTEND_RAND_BYTES=on
        UNCONTEND_SYSCALL=on)
}

in_all_ways() {
    for way in plain drbg vdso; do
        home=$dir/$way
        mkdir -p "$home/same"
        settings_of "$way"
        "$@"
        [[ $way == plain ]] || compare_ways
    done
    server_log=
}

compare_ways() {
    local lines
    diff -ru "$dir/plain/same" "$home/same" >"$dir/diff" && return
    cat "$dir/diff" >&2
    lines=$(grep -c '^[+-][^+-]' "$dir/diff")
    printf '%s|%s|%s|%s|%s\n' "$(basename "$0" .sh)" '' '' "$lines" '' >>"$rows"
    server_log=
    die "$way: differs from plain"
}

tree_of() {
    ps -eo pid=,ppid= | awk -v root="$1" '
        { parent[$1] = $2 }
        END {
            for (p in parent) {
                for (q = p; q in parent && q != root; q = parent[q]);
                if (q == root) print p
            }
        }'
}

# Clock ticks of user and system time; of the children that are gone, too.
ticks_of() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '{ print $12 + $13 + $14 + $15 }'; }

take_stock() {
    local pid
    for pid in $(tree_of "$1"); do
        ticks_of "$pid" >>"$dir/ticks.$way"
        [[ $way == plain ]] && continue
        "$command" stat -j "$pid" >>"$dir/stock.$way" 2>/dev/null
    done
    return 0
}

run_program() {
    local name=$1 times
    shift
    times=$({
        TIMEFORMAT='%U %S'
        time env "${settings[@]}" ${settings[0]:+UNCONTEND_DUMP_AT_EXIT=on} \
            ${settings[0]:+UNCONTEND_DUMP_FORMAT=json UNCONTEND_DUMP_FILE="$home/$name.dump"} "$@" \
            >"$home/same/$name.out" 2>"$home/same/$name.err" </dev/null
        echo "$?" >"$home/same/$name.status"
    } 2>&1)
    awk '{ print 100 * ($1 + $2) }' <<<"$times" >>"$dir/ticks.$way"
    [[ $way == plain ]] || cat "$home/$name.dump" >>"$dir/stock.$way" 2>/dev/null
    return 0
}

# Of all processes of one way: "counter sum" lines.
sums() {
    grep -ho '"stats":{[^}]*}' "$dir/stock.$1" 2>/dev/null | tr -d '{}"' | sed 's/^stats://' |
        tr , '\n' | awk -F: '{ n[$1] += $2 } END { for (c in n) if (n[c]) print c, n[c] }'
}

took() {
    local each counter
    for each in drbg vdso; do
        for counter in "$@"; do
            sums "$each" | grep -q "^$counter " && continue 2
        done
        die "$each: none of these counters moved: $*; those that did: $(sums "$each" | tr '\n' ' ')"
    done
}

describe_stock() {
    sums vdso | awk '
        / / { n[$1] = $2 }
        $1 ~ /_calls$/ && $1 != "counter_calls" { name = $1; sub("_calls", "", name); all = all sep name " " $2; sep = ", " }
        END {
            reads = n["lock_read_fast"] + n["lock_read_glibc"]
            if (reads) all = all sep reads " read locks (" int(100 * n["lock_read_fast"] / reads) " % fast)"
            if (reads) sep = ", "
            if (n["lock_write"]) all = all sep n["lock_write"] " write locks"
            print all ? all : "nothing that it calls"
        }'
}

# A ratio of less than a quarter of a second says nothing.
cpu_ratio() {
    local each
    for each in plain vdso; do
        awk '{ n += $1 } END { print n + 0 }' "$dir/ticks.$each" 2>/dev/null
    done | paste -sd' ' | awk '{ if ($1 < 25) print "-"; else printf "%.2f\n", $2 / $1 }'
}

tell() {
    printf '%s|%s|%s|0|%s\n' "$1" "$(describe_stock)" "$2" "$(cpu_ratio)" >>"$rows"
    rm -f "$dir"/ticks.* "$dir"/stock.*
}

stop_with() {
    kill -"$1" "$server_pid" || die "$way: it went away by itself"
    gone_within 1500 "$server_pid" || die "$way: still there 15 s after SIG$1"
    wait "$server_pid"
    server_status=$?
    forget "$server_pid"
    ((server_status == $2)) || die "$way: exit status $server_status after SIG$1, expected $2"
}

# FILE of one random value a line: all of the right form, none twice.
all_distinct() {
    local file=$1 form=$2 count=$3 right distinct
    right=$(grep -cE "$form" "$file")
    distinct=$(sort -u "$file" | wc -l)
    ((right == count && distinct == count)) ||
        die "$way: of $count values $right have the form $form, $distinct are distinct: $(head -n 3 "$file")"
}
