#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: the runner starts what took longest first, two at a time; what waits runs beside that, what is
# to be alone beside no other; it keeps the times of all tests, and names those that were not made again
set -u
cd "$(dirname "$0")/../.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export TOY=$dir
bad=0
fail() { echo "$*" >&2; bad=1; }

mkdir -p "$dir"/{build/tests/preload,tests/preload,tests/checks}
cp tests/run tests/schedule.py "$dir/tests"
touch "$dir/build/libuncontend.so"

toy() { # NAME DIRECTIVE SCRIPT
    printf '// plain\n// time: 20\n%s\n' "$2" >"$dir/tests/preload/$1.c"
    # shellcheck disable=SC2016 # "$1" and $TOY belong to the toy
    printf '#!/bin/bash\nmeet() { until [ -e "$TOY/$1" ]; do sleep 0.01; done; }\n%s\n' "$3" \
        >"$dir/build/tests/preload/$1"
    chmod +x "$dir/build/tests/preload/$1"
}
# shellcheck disable=SC2016 # it belongs to the toys
write_toys() {
    local name
    # Both wait for one that runs beside them, and hold on to the machine for a moment.
    for name in alone-1 alone-2; do
        toy $name '// alone' 'mkdir "$TOY/held" || exit 1; meet beside; sleep 0.3; touch "$TOY/'$name'"; rmdir "$TOY/held"'
    done
    toy waits-1 '// waits' 'touch "$TOY/beside"; meet beside-2; meet alone-1; meet alone-2'
    toy waits-2 '// waits' 'touch "$TOY/beside-2"; meet beside'
    # Only two at a time can meet; the third comes when they have met.
    toy z-long '' '[ ! -e "$TOY/held" ] || exit 1; echo z >>"$TOY/order"; touch "$TOY/z"; meet y'
    toy y-long '' '[ ! -e "$TOY/held" ] || exit 1; echo y >>"$TOY/order"; touch "$TOY/y"; meet z'
    toy b-short '' '[ ! -e "$TOY/held" ] || exit 1; echo b >>"$TOY/order"'
    toy a-short '' '[ ! -e "$TOY/held" ] || exit 1; echo a >>"$TOY/order"'
    printf 'echo unchanged since it passed\n' >"$dir/tests/checks/same.sh"
    printf '9.00 5.00 preload/%s\n' z-long y-long >"$dir/build/test-times"
    printf '1.00 0.50 %s\n' preload/b-short preload/a-short checks/same preload/gone >>"$dir/build/test-times"
}
names() { cut -d' ' -f3- "$dir/build/test-times" | sort | xargs; }
all='checks/same preload/a-short preload/alone-1 preload/alone-2 preload/b-short preload/waits-1 preload/waits-2 preload/y-long preload/z-long'

write_toys
said=$("$dir/tests/run" "$dir/build" 2>&1) || fail "status $?: $said"
[ "$(tail -n 1 <<<"$said")" = '9 passed, 0 failed, 0 skipped' ] || fail "the sum: $said"
grep -q '^passed before, .*: checks/same$' <<<"$said" || fail "what was not made again is not named: $said"
[ "$(head -n 2 "$dir/order" | sort | xargs)" = 'y z' ] || fail "the order: $(xargs <"$dir/order")"
[ "$(names)" = "$all" ] || fail "times of $(names)"
grep -qx '1.00 0.50 checks/same' "$dir/build/test-times" || fail "the time of what was not made is kept as its time"
! grep -q '^9.00 ' "$dir/build/test-times" || fail "times are those of the run before"
"$dir/tests/run" "$dir/build" 'a-short' >/dev/null || fail "one alone: status $?"
[ "$(names)" = "$all" ] || fail "after a run of one, times of $(names)"

# It is not what a test says that makes it pass.
printf 'echo unchanged since it passed; exit 1\n' >"$dir/tests/checks/same.sh"
said=$("$dir/tests/run" "$dir/build" checks/same 2>&1) && fail "it says unchanged, fails and passes: $said"
[ "$(tail -n 1 <<<"$said")" = '0 passed, 1 failed, 0 skipped' ] || fail "the sum: $said"
exit $bad
