# SPDX-License-Identifier: MIT
"""The figures of all benchmarks in one form: one line for each round of each measurement.

Owns that form, BENCH TAB CASE TAB VARIANT TAB ROUND TAB METRIC TAB VALUE, in the file that
BENCH_RECORD names, and what is calculated from it. Must not measure, and must not print.
"""
import os
import statistics
from collections import defaultdict


def record(bench, case, variant, number, **metrics):
    """Appends to BENCH_RECORD, if there is one; what the runners print stays the same."""
    path = os.environ.get("BENCH_RECORD")
    if not path:
        return
    with open(path, "a", encoding="ascii") as file:
        for metric, value in metrics.items():
            file.write(f"{bench}\t{case}\t{variant}\t{number}\t{metric}\t{value}\n")


def significant(value):
    """Three digits, all that such figures deserve; never an exponent."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:g}"


def decimals(count):
    return lambda value: f"{value:.{count}f}"


class Span:
    """The median of some rounds, and the least and the most of them."""

    def __init__(self, values):
        values = list(values)
        self.middle, self.least, self.most = statistics.median(values), min(values), max(values)

    def times(self, factor):
        return Span([self.least * factor, self.middle * factor, self.most * factor])

    def text(self, form=significant):
        least, middle, most = map(form, (self.least, self.middle, self.most))
        return f"{middle} ({least}..{most})"


class Figures:
    def __init__(self, lines):
        self.rounds = defaultdict(dict)  # (bench, case, variant, metric) -> {round: value}
        for line in lines:
            bench, case, variant, number, metric, value = line.rstrip("\n").split("\t")
            self.rounds[bench, case, variant, metric][int(number)] = float(value)

    def cases(self, bench):
        """In the order in which they were measured."""
        return list(dict.fromkeys(key[1] for key in self.rounds if key[0] == bench))

    def variants(self, bench):
        return list(dict.fromkeys(key[2] for key in self.rounds if key[0] == bench))

    def span(self, bench, case, variant, metric):
        found = self.rounds.get((bench, case, variant, metric))
        return Span(found.values()) if found else None

    def ratio(self, bench, case, over, under, metric):
        """over / under, round by round: what was measured at about the same time."""
        a = self.rounds.get((bench, case, over, metric), {})
        b = self.rounds.get((bench, case, under, metric), {})
        both = [a[n] / b[n] for n in a if b.get(n)]
        return Span(both) if both else None
