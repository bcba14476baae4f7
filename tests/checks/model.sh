#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: no order of steps breaks the bias protocol, and the model would notice if one did.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
# shellcheck source=tests/checks/lib/unchanged.sh
. tests/checks/lib/unchanged.sh
unless_unchanged "$build" tests/model
program=$build/model-bias
"${CC:-cc}" -O2 -std=gnu11 -Wall -Wextra -Werror -o "$program" tests/model/*.c
"$program"

# A fault, and the scene that shows it: nearly all others would pass first.
notices() {
    local status=0
    FAULT=$1 "$program" "$2" 2>/dev/null || status=$?
    if [ $status -ne 1 ]; then
        echo "the model does not notice fault $1: $status" >&2
        exit 1
    fi
}

notices 1 "two readers, two writers"
notices 2 "two readers, two writers"
notices 3 "two readers, two writers"
notices 4 "two readers, two writers"
notices 5 "a writer and one that tries"
notices 6 "bias forbidden, then a writer past it"
notices 7 "two readers, two writers"
notices 8 "a fork beside a filter"
notices 9 "bias forbidden beside a writer"
notices 10 "a writer's handler forks"
notices 11 "a writer's handler forks"
notices 12 "a writer's handler forks"
notices 13 "a stranger, and bias again"
notices 14 "a record is used again"
notices 15 "two holds, each released by any"
notices 16 "a stranger, and another lock"
notices 17 "bias forbidden beside a writer"
notices 18 "a thread ends beside a stranger"
notices 19 "a stranger beside an owner"
it_passed
