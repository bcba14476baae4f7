#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: the dump and `uncontend stat` write JSON that a JSON parser takes and that fits its schema,
# Prometheus text that keeps the rules of its format, and text of 80 columns; `uncontend env` is read
# back by a shell with the same values
set -u
build=$(cd "$1" && pwd) || exit 1
tool=$build/uncontend
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C.UTF-8
bad=0
fail() { echo "$*" >&2; bad=1; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# A name that needs every kind of escape.
odd=$dir/$'odd "name" \\ with\ttab é \xff'
cp "$(type -P sleep)" "$odd"
for form in text json prometheus; do
    for program in "$(type -P sleep)" "$odd"; do
        "$tool" run -o signal=none -o dump_at_exit=on -o dump_format=$form \
            -o dump_file="$dir/$form" -- "$program" 0 || fail "$program ended with status $?"
    done
done
# Lines of hot locks, of a program that is certain to wait for some.
hot=$build/tests/preload/hot-stat-names-lock-and-caller
for form in text json prometheus; do
    BACK=3 "$tool" run -o signal=none -o dump_at_exit=on -o dump_format=$form -o dump_file="$dir/$form" \
        -- "$hot" target </dev/null >/dev/null 3>/dev/null || fail "$hot ended with status $?"
    grep -q 'hot.lock' "$dir/$form" || fail "no hot lock in $form"
done
[ "$(wc -l <"$dir/json")" = 3 ] || fail "three dumps in JSON are not three lines"

"$tool" run -o signal=none -- "$odd" 60 &
pid=$!
trap 'kill $pid; rm -rf "$dir"' EXIT
tries=1000
until "$tool" stat "$pid" >"$dir/page" 2>/dev/null; do
    ((tries-- > 0)) || { fail "stat of a running process: $("$tool" stat "$pid" 2>&1)"; break; }
done
mkfifo "$dir/leash" && exec 8<>"$dir/leash" && rm "$dir/leash"
BACK=3 "$tool" run -o signal=none -- "$hot" target <&8 >"$dir/ready" 3>/dev/null &
hot_pid=$!
trap 'kill $pid $hot_pid; rm -rf "$dir"' EXIT
tries=3000
until [ -s "$dir/ready" ]; do
    if ((tries-- <= 0)) || ! kill -0 "$hot_pid"; then
        fail "$hot does not start"
        break
    fi
    sleep 0.01
done
rm -f "$dir/ready"
"$tool" stat "$hot_pid" >"$dir/hotpage" || fail "stat of a process with hot locks: status $?"
"$tool" stat -w 0.01 -n 3 "$hot_pid" >"$dir/watched" || fail "stat -w: status $?"
"$tool" stat -j "$hot_pid" >>"$dir/json" || fail "stat -j: status $?"
"$tool" stat -p "$hot_pid" >"$dir/hot.prometheus" || fail "stat -p: status $?"
[ "$(grep -c '^ *by hot-stat-names-lock-and-caller+planted_' "$dir/hotpage")" = 6 ] ||
    fail "not six callers: $(cat "$dir/hotpage")"
"$tool" stat -j "$pid" >>"$dir/json" || fail "stat -j: status $?"
"$tool" stat -p "$pid" >"$dir/stat.prometheus" || fail "stat -p: status $?"
"$tool" list >"$dir/list" || fail "list: status $?"
"$tool" doctor "$pid" >"$dir/doctor" || fail "doctor: status $?"

python3 tests/checks/formats.py "$dir" docs/statistics.schema.json || bad=1

if type -P promtool >/dev/null; then
    for form in stat hot; do
        said=$(promtool check metrics <"$dir/$form.prometheus" 2>&1) || fail "promtool: $said"
    done
fi

env -i UNCONTEND_DUMP_FILE="a b';\$x\\" UNCONTEND_LOCKS=spin "$tool" env >"$dir/settings" ||
    fail "env: status $?"
# shellcheck disable=SC2016 # the other shell fills them in
again=$(env -i bash -c 'set -a; . "$1"; exec "$2" env' - "$dir/settings" "$tool")
[ "$again" = "$(cat "$dir/settings")" ] || fail "a shell reads other settings: $again"
exit $bad
