#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: each header that files share opens with its licence, what it owns, and what it costs.
set -u
cd "$(dirname "$0")/../.." || exit 1

awk '
    FNR == 1 {
        close_head()
        file = FILENAME; head = 1; lines = 0; cost = 0
        if ($0 != "// SPDX-License-Identifier: MIT") fail("does not begin with its licence")
        next
    }
    head && /^\/\/ Cost: ./ { cost = 1; next }
    head && /^\/\// { lines += !cost; next }
    { head = 0 }
    function close_head()
    {
        if (file == "") return
        if (!lines) fail("does not say what it owns")
        if (!cost) fail("does not say what it costs: \"// Cost: ...\", behind what it owns")
    }
    function fail(why) { print file ": " why > "/dev/stderr"; bad = 1 }
    END { close_head(); exit bad }
' preload/*.h tools/*.h
