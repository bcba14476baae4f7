#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# claim: a benchmark that is asked to records each of its rounds, with the values that it prints the
# medians of; a ratio is taken round by round and comes with its least and most; without being asked
# nothing is recorded
set -u
build=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")/../.." || exit 1
export PYTHONDONTWRITEBYTECODE=1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

run() { bench/run-counters "$build" --rounds 3 --seconds 0.01 >"$dir/said"; }
run || exit 1
[ -z "$(find "$dir" ! -name said -type f)" ] || { echo "recorded without being asked" >&2; exit 1; }
BENCH_RECORD=$dir/record run || exit 1

python3 - "$dir" <<'END'
import sys
from pathlib import Path
sys.path.insert(0, "bench")
from figures import Figures

def expect(what, wanted, found):
    if wanted != found:
        sys.exit(f"{what}: expected {wanted}, got {found}")

folder = Path(sys.argv[1])
figures = Figures((folder / "record").open())
expect("cases", ["1", "2", "8"], figures.cases("counters"))
expect("variants", {"locked", "replaced", "atomic"}, set(figures.variants("counters")))
for line in (folder / "said").read_text().splitlines()[2:]:
    threads, *printed = line.split()[:4]
    for kind, value in zip(("locked", "replaced", "atomic"), printed):
        rounds = figures.rounds["counters", threads, kind, "ns"]
        expect(f"rounds of {kind}, {threads} threads", [1, 2, 3], sorted(rounds))
        expect(f"median of {kind}, {threads} threads", value,
               f"{figures.span('counters', threads, kind, 'ns').middle:.2f}")

rows = [(1, "a", 10), (1, "b", 5), (2, "a", 30), (2, "b", 10), (3, "a", 8), (3, "b", 8)]
made = Figures(f"x\t1\t{v}\t{n}\tns\t{value}\n" for n, v, value in rows)
ratio = made.ratio("x", "1", "a", "b", "ns")
expect("ratio round by round", (1, 2, 3), (ratio.least, ratio.middle, ratio.most))
expect("a ratio without figures", None, made.ratio("x", "1", "a", "c", "ns"))
END
