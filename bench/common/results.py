"""The added cost of each row, from the pairs of runs, and whether that misses the aim."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from common.jobs import Job
from common.rows import READS, Row


@dataclass
class Result:
    """A row measured: one value of each kind for each pair of runs."""

    row: Row
    without: list[float]
    with_: list[float]
    reads: list[float]  # two clock reads in ns, in the same pair; empty where they are no measure
    added_to_smallest: list[float]  # batches of a run; may be empty

    @property
    def differences(self) -> list[float]:
        """The added cost, pair by pair."""
        return [b - a for a, b in zip(self.without, self.with_, strict=True)]

    @property
    def added(self) -> float:
        """The median of the added cost over the pairs."""
        return statistics.median(self.differences)

    @property
    def ratio(self) -> float | None:
        """The added cost in units of two clock reads; None where that makes no sense."""
        if not self.reads or self.row.key == READS:
            return None
        return statistics.median(d / r for d, r in zip(self.differences, self.reads, strict=True))

    @property
    def mark(self) -> str:
        """``over`` if every pair missed the aim, ``over?`` if only their median did, which may be noise."""
        if self.row.aim is None:
            return ""
        aim = self.row.aim + self.row.slack
        values = self.differences
        if self.row.aim_in_reads:
            values = [d / r for d, r in zip(values, self.reads, strict=True)]
        if statistics.median(values) <= aim:
            return ""
        return "over" if min(values) > aim else "over?"


def compare(rows: Iterable[Row], jobs: Sequence[tuple[Job, Job]], statistic: str = "median") -> list[Result]:
    """Make the lines of the table from the pairs of runs."""
    results = []
    for row in rows:
        without = [row.figure(pair[0], statistic) for pair in jobs]
        with_ = [row.figure(pair[1], statistic) for pair in jobs]
        reads = []
        if row.unit == "ns":
            key = f"{statistic}_ns"
            reads = [statistics.mean(job.worst("row", READS, key) for job in pair) for pair in jobs]
        smallest = [row.figure(b, "min") - row.figure(a, "min") for a, b in jobs if row.of_batches]
        results.append(Result(row, without, with_, reads, smallest))
    return results
