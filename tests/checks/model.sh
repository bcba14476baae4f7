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
for fault in 1 2 3 4 5 6 7 8 9 10 11 12; do
    if FAULT=$fault "$program" 2>/dev/null; then
        echo "the model does not notice fault $fault" >&2
        exit 1
    fi
done
it_passed
