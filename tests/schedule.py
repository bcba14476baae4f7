# SPDX-License-Identifier: MIT
"""Which test runs when: the order, how many at a time, and what is remembered of the last run.

Owns BUILDDIR/test-times, a line "SECONDS CPU-SECONDS NAME" for each case, the longest first. Must not
decide whether a test runs, nor what its result is.
"""
from concurrent.futures import ThreadPoolExecutor, as_completed

WAITERS = 2  # at a time, beside the workers


class Times:
    """How long each case took when it ran last in this tree."""

    def __init__(self, build):
        self.file = build / "test-times"
        self.known = {}
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        for line in lines:
            seconds, cpu, name = line.split(" ", 2)
            self.known[name] = float(seconds), float(cpu)

    def seconds(self, name, otherwise):
        return self.known[name][0] if name in self.known else otherwise

    def note(self, name, seconds, cpu):
        self.known[name] = seconds, cpu

    def save(self, names):
        """For these names; what has no test any more is forgotten."""
        kept = sorted((v, name) for name, v in self.known.items() if name in names)
        text = "".join(f"{s:.2f} {cpu:.2f} {name}\n" for (s, cpu), name in reversed(kept))
        new = self.file.with_suffix(".new")
        new.write_text(text)
        new.replace(self.file)


def side_by_side(run, workers, cases):
    with ThreadPoolExecutor(workers) as pool:
        todo = {pool.submit(run, case): case for case in cases}
        for done in as_completed(todo):
            yield todo[done], done.result()


def in_lanes(run, phases, waiting):
    """Each case with the results of run(case), as they come.

    The phases, (workers, cases), come one after the other; beside all of them those cases that
    mostly wait, which so take nobody's place.
    """
    with ThreadPoolExecutor(WAITERS) as beside:
        todo = {beside.submit(run, case): case for case in waiting}
        for workers, cases in phases:
            yield from side_by_side(run, workers, cases)
        for done in as_completed(todo):
            yield todo[done], done.result()
