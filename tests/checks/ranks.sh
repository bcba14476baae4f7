#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: in preload/, #include "..." goes to a lower rank only; shims/ include preload/ alone;
# rand/ includes what two headers say; tools/ share with preload/ nothing but the files that were agreed on.
set -u
cd "$(dirname "$0")/../.." || exit 1

awk '
    FILENAME == "preload/RANKS" { if ($0 !~ /^#/ && NF) rank[$1] = ++n; next }
    FNR == 1 {
        dir = FILENAME; sub(/\/.*/, "", dir)
        own = FILENAME; sub(/.*\//, "", own); sub(/\.[ch]$|\.def$/, "", own)
        if (dir == "preload" && !(own in rank)) fail(FILENAME " has no rank in preload/RANKS")
    }
    /^#include "/ {
        split($0, part, "\""); header = part[2]
        stem = header; sub(/\.[^.]*$/, "", stem)
        if (stem == "stats") stem = "stats_abi"
        if (dir == "preload" && stem != own && !(stem in rank && rank[stem] < rank[own]))
            fail(FILENAME ": includes " header ", which does not rank lower")
        if (dir == "shims" && !(stem in rank))
            fail(FILENAME ": includes " header ", which is not in preload/")
        if (dir == "rand" && header !~ /^(compiler|draw)\.h$/)
            fail(FILENAME ": includes " header ", but may ask for uncontend_draw only")
        if (dir == "tools" && stem in rank && header !~ /^(version|stats_abi|text|options|compiler|render|hotlist|signame|say|spec|elfread|insn|locate|object|known|wanted|prove|trace|judge|stub)\.h$|\.def$/)
            fail(FILENAME ": the tool may not share " header)
    }
    function fail(why) { print why > "/dev/stderr"; bad = 1 }
    END { exit bad }
' preload/RANKS preload/*.[ch] shims/*.[ch] rand/*.[ch] tools/*.[ch]
