#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: no order of steps breaks the bias protocol, and the model would notice if one did.
set -eu
cd "$(dirname "$0")/../.."
program=$1/model-bias
"${CC:-cc}" -O2 -std=gnu11 -Wall -Wextra -Werror -o "$program" tests/model/bias.c
"$program"
for fault in 1 2 3 4 5 6 7 8; do
    if FAULT=$fault "$program" 2>/dev/null; then
        echo "the model does not notice fault $fault" >&2
        exit 1
    fi
done
